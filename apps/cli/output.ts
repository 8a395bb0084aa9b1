import Table from 'cli-table3';
import { Presets, SingleBar } from 'cli-progress';
import type { Json, JsonObject } from '#domain/json.js';
import { printable } from '#domain/printable.js';
import { isProgress } from '#apps/operator/operation.js';

/** Prints an operation's frames: a table for people, one line of JSON each for programs. */
export interface View {
  readonly columns: readonly string[];
  readonly row: (frame: JsonObject) => readonly string[];
  /** Printed instead of an empty table. */
  readonly empty: string;
}

/** A field as a table shows it. */
export function cell(value: Json | undefined): string {
  if (value === null || value === undefined) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** An amount of dollars as a table shows it: `$0.0000009`, `-$1.50`. */
export const amountCell = (dollars: Json | undefined): string => cell(dollars).replace(/^(-?)(?=\d)/, '$1$$');

/** The frames of an operation that has one result. */
export async function* single(frame: Json): AsyncGenerator<Json> {
  yield await Promise.resolve(frame);
}

const ROWS_A_TABLE = 200;

/** Shows frames as they come; progress goes to stderr. */
export async function show(frames: AsyncIterable<Json>, view: View, asJson: boolean): Promise<void> {
  const progress = new ProgressBar();
  let rows: JsonObject[] = [];
  let shown = 0;
  try {
    for await (const frame of frames) {
      if (isProgress(frame)) {
        if (!asJson) progress.update(frame.progress);
        continue;
      }
      shown += 1;
      if (asJson) {
        process.stdout.write(jsonLine(frame));
        continue;
      }
      rows.push(frame as JsonObject);
      if (rows.length === ROWS_A_TABLE) rows = flush(rows, view);
    }
  } finally {
    progress.stop();
  }
  if (rows.length > 0) flush(rows, view);
  if (shown === 0 && !asJson) console.log(view.empty);
}

/** Prints each frame immediately, for endless output and long lines; progress goes to stderr. */
export async function follow(frames: AsyncIterable<Json>, view: Pick<View, 'row'>, asJson: boolean): Promise<void> {
  const progress = new ProgressBar();
  for await (const frame of frames) {
    if (isProgress(frame)) {
      if (!asJson) progress.update(frame.progress);
      continue;
    }
    progress.stop();
    if (asJson) process.stdout.write(jsonLine(frame));
    else
      console.log(
        view
          .row(frame as JsonObject)
          .map(printable)
          .join('  '),
      );
  }
}

/** Terminals interpret control characters in JSON too, and JSON escapes only some of them. */
const jsonLine = (frame: Json): string => `${printable(JSON.stringify(frame))}\n`;

function flush(rows: readonly JsonObject[], { columns, row }: View): JsonObject[] {
  const table = new Table({ head: [...columns], style: { head: [], border: [], compact: true }, chars: BORDERLESS });
  table.push(...rows.map((each) => row(each).map(printable)));
  console.log(table.toString());
  return [];
}

const BORDERLESS = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid']
    .concat(['mid', 'mid-mid', 'right', 'right-mid'])
    .map((part) => [part, '']),
);

/** Milliseconds between the lines of progress where there is no terminal. */
const LINE_EVERY_MS = 10_000;

/** Progress on standard error: a bar in a terminal, or else a line every ten seconds. */
export class ProgressBar {
  private bar: SingleBar | null = null;
  private saidAt = performance.now();

  constructor(
    private readonly stream: NodeJS.WriteStream = process.stderr,
    private readonly lineEveryMs = LINE_EVERY_MS,
  ) {}

  update({ done, total, unit }: { done: number; total: number; unit: string }): void {
    if (!this.stream.isTTY)
      return this.line(`${total > 0 ? Math.floor((100 * done) / total) : 0}% ${done}/${total} ${unit}`);
    if (!this.bar) {
      const format = `{bar} {percentage}% {value}/{total} ${unit}`;
      this.bar = new SingleBar({ format, stream: this.stream }, Presets.shades_classic);
      this.bar.start(total, 0);
    }
    this.bar.setTotal(total);
    this.bar.update(done);
  }

  stop(): void {
    this.bar?.stop();
  }

  private line(text: string): void {
    const now = performance.now();
    if (now - this.saidAt < this.lineEveryMs) return;
    this.saidAt = now;
    this.stream.write(`${text}\n`);
  }
}
