// A table of any length: only visible rows are rendered.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";

export interface Column<Row> {
  name: string;
  show: (row: Row) => ComponentChildren;
  sort?: (row: Row) => number | string;
  number?: boolean;
}

const ROW = 31; // pixels: 30 and a border
const AROUND = 12;

interface Props<Row> {
  rows: Row[];
  columns: Column<Row>[];
  key_of: (row: Row) => string;
  label: string;
  empty: string;
  sorted_by?: string;
  descending?: boolean;
}

export function Table<Row>({ rows, columns, key_of, label, empty, sorted_by = "", descending = false }: Props<Row>) {
  const box = useRef<HTMLDivElement>(null);
  const by = useSignal({ name: sorted_by, descending });
  const top = useSignal(0);
  const height = useSignal(800);
  useEffect(() => {
    if (!box.current) return;
    const watch = new ResizeObserver(() => (height.value = box.current?.clientHeight ?? 800));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const sorted = useMemo(() => {
    const value = columns.find((column) => column.name === by.value.name)?.sort;
    if (!value) return rows;
    const turn = by.value.descending ? -1 : 1;
    return rows.map((row) => ({ row, at: value(row) })).sort((a, b) => (a.at < b.at ? -turn : a.at > b.at ? turn : 0)).map((one) => one.row);
  }, [rows, by.value]);
  const first = Math.max(Math.floor(top.value / ROW) - AROUND, 0);
  const last = Math.min(Math.ceil((top.value + height.value) / ROW) + AROUND, sorted.length);
  const turn = (name: string) => (by.value = { name, descending: by.value.name === name && !by.value.descending });
  if (rows.length === 0) return <p class="empty panel">{empty}</p>;
  return (
    <div class="scroll" ref={box} onScroll={(event) => (top.value = event.currentTarget.scrollTop)} tabIndex={0} role="region" aria-label={label}>
      <table aria-rowcount={sorted.length + 1}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={column.number ? "num" : ""} aria-sort={by.value.name !== column.name ? "none" : by.value.descending ? "descending" : "ascending"}>
                {column.sort ? (
                  <button type="button" onClick={() => turn(column.name)}>
                    {column.name}
                    {by.value.name === column.name ? (by.value.descending ? " ▾" : " ▴") : ""}
                  </button>
                ) : (
                  column.name
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <tr aria-hidden="true" style={{ height: `${first * ROW}px` }} />}
          {sorted.slice(first, last).map((row, at) => (
            <tr key={key_of(row)} aria-rowindex={first + at + 2}>
              {columns.map((column) => (
                <td class={column.number ? "num" : ""}>{column.show(row)}</td>
              ))}
            </tr>
          ))}
          {last < sorted.length && <tr aria-hidden="true" style={{ height: `${(sorted.length - last) * ROW}px` }} />}
        </tbody>
      </table>
    </div>
  );
}
