const started = performance.now();

export interface StepTime {
  readonly step: string;
  readonly seconds: number;
}

/** Times each step and says what is going on while it does. */
export class Steps {
  readonly times: StepTime[] = [];

  async run<T>(step: string, work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    console.log(`\n${String(this.times.length + 1).padStart(2)}. ${step}`);
    const result = await work();
    const seconds = Math.round(performance.now() - start) / 1_000;
    this.times.push({ step, seconds });
    return result;
  }

  get totalSeconds(): number {
    return Math.round(performance.now() - started) / 1_000;
  }
}

/** One line that is written over, where the output is a terminal; else a line for each change. */
export function progressLine(): (text: string) => void {
  let last = '';
  return (text) => {
    if (text === last) return;
    last = text;
    if (process.stdout.isTTY) process.stdout.write(`\r\x1b[2K    ${text}`);
    else console.log(`    ${text}`);
  };
}
