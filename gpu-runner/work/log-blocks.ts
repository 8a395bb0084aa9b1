import { MAX_BLOCK_BYTES, MAX_LINES_PER_ATTEMPT, type LogLine } from '#domain/job-log/index.js';

export interface LogBlock {
  /** Number from 1 within the attempt. */
  readonly block: number;
  readonly lines: readonly LogLine[];
}

const MAX_MESSAGE_CHARACTERS = 8_000;

/**
 * Gathers an attempt's log lines into blocks of at most 64 KiB. Blocks follow one another ever more slowly, so that a
 * training of days produces hundreds of them instead of tens of thousands.
 */
export class LogBlocks {
  private waiting: LogLine[] = [];
  private bytes = 0;
  private lines = 0;
  private block = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly give: (block: LogBlock) => void,
    private readonly firstDelayMs = 500,
  ) {}

  add(line: LogLine): void {
    if (this.lines === MAX_LINES_PER_ATTEMPT) return;
    this.lines += 1;
    const last = this.lines === MAX_LINES_PER_ATTEMPT;
    const message = last ? 'More lines than are kept of one attempt: the rest is dropped' : shortened(line.message);
    const kept: LogLine = { ...line, message };
    const bytes = Buffer.byteLength(JSON.stringify(kept)) + 1;
    if (this.bytes + bytes > MAX_BLOCK_BYTES - 2) this.flush();
    this.waiting.push(kept);
    this.bytes += bytes;
    this.timer ??= setTimeout(() => this.flush(), this.firstDelayMs * (1 + this.block ** 2 / 400));
  }

  flush(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.waiting.length === 0) return;
    this.block += 1;
    const lines = this.waiting;
    this.waiting = [];
    this.bytes = 0;
    this.give({ block: this.block, lines });
  }
}

const shortened = (message: string): string =>
  message.length <= MAX_MESSAGE_CHARACTERS ? message : `${message.slice(0, MAX_MESSAGE_CHARACTERS)}…`;
