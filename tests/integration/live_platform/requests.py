"""Requests that a contract allows, drawn at random, and ones that it does not."""

import json
import string
from urllib.parse import quote, urlencode

NAMES = ["default", "research", "research/nlp", "ana", "*", "dgx-h100-0", "dgx-h100-0/3", "job-1", "job-2[3]", "job-3[*]", "incident-1", "token-1", "night", "",
         "a" * 300, "ä ö\u2028", "../../etc/passwd", "'; DROP TABLE jobs; --", "<script>alert(1)</script>", "\x00", "%00", "1", "-", "a,b"]
NUMBERS = [0, 0, 1, 1, 1, 2, 3, 5, 8, 100, -1, 2**31 - 1, -2**31, 2**53]
TIMES = [0, 1_000, 60_000, 1_800_000_000_000]


class Drawn:
    """One request."""

    def __init__(self, method, path, query=None, body=None, headers=None, fields=None):
        self.method = method
        self.fields = fields or {}  # of the message that it stands for
        self.target = path + ("?" + urlencode(query) if query else "")
        self.body = body
        self.headers = headers or {}

    def __str__(self):
        return f"{self.method} {self.target} {self.headers} {self.body!r}"[:2000]


class Drawer:
    def __init__(self, document, rng):
        self.document = document
        self.rng = rng

    def valid(self, path, method, operation):
        """One that the contract allows; whether it makes sense is another matter."""
        query, body, fields = [], None, {}
        for parameter in operation.get("parameters", ()):
            name = parameter["name"]
            if parameter["in"] == "path":
                fields[name] = self.rng.choice([one for one in NAMES if one])
                path = path.replace("{" + name + "}", quote(fields[name], safe=""))
            elif parameter["in"] == "query" and name not in ("fields", "stale") and self.rng.random() < 0.4:
                fields[name] = self.value(parameter["schema"], 2)
                for value in fields[name] if isinstance(fields[name], list) else [fields[name]]:
                    query.append((name, json.dumps(value) if isinstance(value, (bool, int, float)) else value))
        schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        if schema is not None:
            document = self.value(schema, 0)
            body = json.dumps(document)
            fields.update(document)
        return Drawn(method, path, query, body, fields=fields)

    def invalid(self, path, method, operation):
        """One with something in it that the contract does not allow."""
        drawn = self.valid(path, method, operation)
        if drawn.body is None:
            joint = "&" if "?" in drawn.target else "?"
            drawn.target += joint + self.rng.choice(["nothing=1", "limit", "%zz=1", "a=%f", "=", "nothing[]=1", "x=" + "y" * 5000, "fields=nothing", "fields=", "nothing=%00"])
            return drawn
        way = self.rng.randrange(6)
        document = json.loads(drawn.body)
        if way == 0:
            drawn.body = drawn.body[:self.rng.randrange(len(drawn.body))]
        elif way == 1:
            document["nothing"] = self.rng.choice([None, 1, {}, "x"]) or 1
            drawn.body = json.dumps(document)
        elif way == 2:
            drawn.body = self.rng.choice(["[]", "1", "\"x\"", "{}{}", "nul", "[" * 10_000, '{"a":' * 100 + "1" + "}" * 100, "\xff", '{"name": "a", "name": "b"}', "NaN"])
        elif way == 3 and document:
            document[self.rng.choice(list(document))] = self.rng.choice([[], {"x": 1}, 1.5, [[[]]], {"a": {"b": []}}])
            drawn.body = json.dumps(document)
        elif way == 4:
            drawn.headers["Content-Type"] = self.rng.choice(["text/plain", "application/xml", "", "x" * 500])
        else:
            drawn.target += "?limit=1"
        return drawn

    def value(self, schema, depth):
        if "$ref" in schema:
            schema = self.document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        if "anyOf" in schema:
            return self.value(schema["anyOf"][0], depth)
        kind = schema.get("type")
        if "enum" in schema:
            return self.rng.choice(schema["enum"])
        if kind == "integer":
            number = self.rng.choice(TIMES) if self.rng.random() < 0.1 else self.rng.choice(NUMBERS)
            low = schema.get("minimum", -2**31 if schema.get("format") == "int32" else -2**62)
            return min(max(number, low), schema.get("maximum", 2**31 - 1 if schema.get("format") == "int32" else 2**62))
        if kind == "number":
            return self.rng.choice([0, 0.5, 1, -1, 1e300])
        if kind == "boolean":
            return self.rng.random() < 0.5
        if kind == "array":
            return [self.value(schema["items"], depth + 1) for _ in range(self.rng.randrange(3))]
        if kind == "object" and "properties" in schema:
            names = [name for name in schema["properties"] if self.rng.random() < (0.7 if depth == 0 else 0.3 if depth < 4 else 0)]
            return {name: self.value(schema["properties"][name], depth + 1) for name in names}
        if kind == "object":
            return {self.text(): self.value(schema["additionalProperties"], depth + 1) for _ in range(self.rng.randrange(3))}
        return self.text()

    def text(self):
        if self.rng.random() < 0.7:
            return self.rng.choice(NAMES)
        return "".join(self.rng.choice(string.printable) for _ in range(self.rng.randrange(20)))
