// The life of a job as bars over time: one lane per attempt, with the wait before it.
import type { Job } from "../lib/api";
import { span, when } from "../lib/text";

const LANES = 12; // the newest attempts

interface Piece {
  kind: string; // a class of app.css
  name: string;
  from: number;
  until: number;
}

interface Lane {
  name: string;
  pieces: Piece[];
  marks: { at: number; text: string; is_bad: boolean }[];
}

const ms = (text: string | null) => (text ? Date.parse(text) : 0);

function lanesOf(job: Job, now: number): Lane[] {
  let free_at = ms(job.submitted_at);
  const end = ms(job.ended_at) || now;
  const lanes = job.attempts.map((attempt): Lane => {
    const placed = ms(attempt.placed_at);
    const over = ms(attempt.ended_at) || end;
    const started = ms(attempt.started_at) || over;
    const is_bad = attempt.charged_to === "hardware" || attempt.charged_to === "platform";
    const pieces = [
      { kind: "waiting", name: "waiting", from: free_at, until: placed },
      { kind: "held", name: "starting", from: placed, until: started },
      { kind: is_bad ? "failed" : "used", name: "running", from: started, until: over },
    ];
    free_at = over;
    const saved = job.checkpoints.filter((one) => one.attempt === attempt.number).map((one) => ({ at: ms(one.at), text: `checkpoint, step ${one.step}`, is_bad: !one.complete }));
    const errors = job.xids.filter((one) => one.attempt === attempt.number).map((one) => ({ at: ms(one.at), text: `XID ${one.xid}`, is_bad: true }));
    return { name: `attempt ${attempt.number}`, pieces, marks: [...saved, ...errors] };
  });
  if (!job.ended_at && job.attempts.at(-1)?.ended_at) lanes.push({ name: "next attempt", pieces: [{ kind: "waiting", name: "waiting", from: free_at, until: now }], marks: [] });
  if (lanes.length === 0) lanes.push({ name: "first attempt", pieces: [{ kind: "waiting", name: "waiting", from: free_at, until: end }], marks: [] });
  return lanes.slice(-LANES);
}

export function JobTime({ job }: { job: Job }) {
  const lanes = lanesOf(job, Date.now());
  const from = Math.min(...lanes.flatMap((lane) => lane.pieces.map((piece) => piece.from)));
  const until = Math.max(...lanes.flatMap((lane) => lane.pieces.map((piece) => piece.until)), from + 1);
  const place = (at: number) => `${(100 * (at - from)) / (until - from)}%`;
  return (
    <div class="lanes">
      {lanes.map((lane) => {
        const pieces = lane.pieces.filter((piece) => piece.until > piece.from);
        const text = pieces.map((piece) => `${piece.name} ${span((piece.until - piece.from) / 1000)}`).join(", ");
        return (
          <>
            <span class="dim">{lane.name}</span>
            <div class="lane" role="img" aria-label={`${lane.name}: ${text}${lane.marks.length ? `; ${lane.marks.map((mark) => mark.text).join(", ")}` : ""}`}>
              {pieces.map((piece) => <span class={piece.kind} style={{ left: place(piece.from), width: place(from + piece.until - piece.from) }} title={`${piece.name} ${span((piece.until - piece.from) / 1000)}`} />)}
              {lane.marks.map((mark) => <i class={mark.is_bad ? "failed" : "free"} style={{ left: place(mark.at) }} title={`${mark.text}, ${when(new Date(mark.at).toISOString())}`} />)}
            </div>
          </>
        );
      })}
      <span />
      <ul class="legend">{[["waiting", "waiting"], ["held", "starting"], ["used", "running"], ["failed", "lost to a fault"], ["free", "checkpoint"]].map(([kind, name]) => <li><span class={`key ${kind}`} />{name}</li>)}</ul>
    </div>
  );
}
