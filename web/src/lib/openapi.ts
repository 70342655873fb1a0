// The controller's own openapi.json: its operations, and bodies to begin with.
export interface Schema {
  type?: string;
  enum?: string[];
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  description?: string;
  $ref?: string;
}
export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Schema;
}
export interface Operation {
  path: string;
  method: string; // "GET"
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
}
export interface Described {
  paths: Record<string, Record<string, Omit<Operation, "path" | "method">>>;
  components: { schemas: Record<string, Schema> };
}

export const operationsOf = (api: Described): Operation[] =>
  Object.entries(api.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, one]) => ({ path, method: method.toUpperCase(), ...one })));

export const bodyOf = (operation: Operation): Schema | undefined => operation.requestBody?.content["application/json"].schema;

// Only a changing operation takes a key.  A method that can only change counts too, whatever the document says.
export const isChange = (operation: Operation): boolean => ["PUT", "PATCH", "DELETE"].includes(operation.method) || (operation.parameters ?? []).some((one) => one.name === "Idempotency-Key");

export const nameOf = (schema: Schema): string => schema.$ref?.split("/").at(-1) ?? "";

// The schema without "or null".
export const valueOf = (schema: Schema): Schema => schema.anyOf?.find((one) => one.type !== "null") ?? schema;

// "array of string"
export function typeOf(schema: Schema): string {
  const value = valueOf(schema);
  if (value.items) return `array of ${typeOf(value.items)}`;
  if (typeof value.additionalProperties === "object") return `object of ${typeOf(value.additionalProperties)}`;
  return nameOf(value) || (value.enum ?? []).join(", ") || (value.type ?? "");
}

const SPEC = { name: "from-the-api-page", command: ["sh", "-c", "echo $CUDA_VISIBLE_DEVICES"], gpus: { count: 1 }, time_limit_ms: 600_000 };
const EXAMPLES: Record<string, unknown> = { SubmitJobs: { specs: [SPEC], count: 1 }, ExplainJob: { spec: SPEC, forecast: true } };

// What a field has that is not given: the body may be sent with it.
function absentValue(schema: Schema): unknown {
  if (schema.anyOf || schema.$ref) return null;
  if (schema.enum) return schema.enum[0];
  const neutral: Record<string, unknown> = { string: "", integer: 0, number: 0, boolean: false, array: [], object: {} };
  return neutral[schema.type ?? ""] ?? null;
}

export function exampleOf(operation: Operation): string {
  const fields = Object.entries(bodyOf(operation)?.properties ?? {}).map(([name, field]) => [name, absentValue(field)]);
  const example = EXAMPLES[operation.operationId.replace(/Alias$/, "")] ?? Object.fromEntries(fields);
  // A list of plain values is easier to read, and to change, on one line.
  return JSON.stringify(example, null, 2).replaceAll(/\[[^[\]{}]*\]/g, (list) => list.replaceAll(/\s*\n\s*/g, " ").replace("[ ", "[").replace(" ]", "]"));
}

// JSON on one line, with its numbers as they are written.
export const compact = (text: string): string => text.replaceAll(/"(?:[^"\\]|\\.)*"|\s+/g, (part) => (part.startsWith('"') ? part : ""));

// JSON over several lines.  Numbers stay as they are written: some are larger than JavaScript's.
export function indented(text: string): string {
  let depth = 0;
  const line = (to: number) => `\n${"  ".repeat((depth = to))}`;
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[{]|[\]}]|,|:|\s+/g, (part) => {
    if (part === "{" || part === "[") return part + line(depth + 1);
    if (part === "}" || part === "]") return line(Math.max(depth - 1, 0)) + part;
    if (part === ",") return part + line(depth);
    if (part === ":") return ": ";
    return /^["[{]/.test(part) ? part : "";
  });
}
