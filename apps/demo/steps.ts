const started = performance.now();

interface StepTime {
  readonly step: string;
  readonly seconds: number;
}

/** Times each step and shows progress during it. */
export class Steps {
  readonly times: StepTime[] = [];

  async run<T>(step: string, work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    console.log(`\n${String(this.times.length + 1).padStart(2)}. ${step}`);
    const result = await work();
    endLine();
    const seconds = Math.round(performance.now() - start) / 1_000;
    this.times.push({ step, seconds });
    return result;
  }

  get totalSeconds(): number {
    return Math.round(performance.now() - started) / 1_000;
  }
}

let lineIsOpen = false;

/** Overwrites one line on a terminal; elsewhere prints a line per change. */
export function progressLine(): (text: string) => void {
  let last = '';
  endLine();
  return (text) => {
    if (text === last) return;
    last = text;
    lineIsOpen = process.stdout.isTTY;
    if (lineIsOpen) process.stdout.write(`\r\x1b[2K    ${text}`);
    else console.log(`    ${text}`);
  };
}

function endLine(): void {
  if (lineIsOpen) process.stdout.write('\n');
  lineIsOpen = false;
}
