import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, closeSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const LOAD = fileURLToPath(new URL('./load.js', import.meta.url));

/**
 * Runs the load on a folder and kills it (SIGKILL) at a random moment: mostly while it writes, sometimes while it starts.
 * @param output what it acknowledges is added to this file
 */
export async function runAndKill(directory: string, output: string, seed: number, random: () => number): Promise<void> {
  const stdout = openSync(output, 'a');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', LOAD, directory, String(seed)], {
    stdio: ['ignore', stdout, 'pipe', 'ipc'],
  });
  closeSync(stdout);
  const complaints: Buffer[] = [];
  child.stderr!.on('data', (chunk: Buffer) => complaints.push(chunk));
  const exit = once(child, 'exit');
  if (random() < 0.15) await after(random() * 300);
  else {
    await Promise.race([once(child, 'message'), exit]);
    await after(random() * 120);
  }
  child.kill('SIGKILL');
  const [, signal] = (await exit) as [number | null, string | null];
  if (signal !== 'SIGKILL') throw new Error(`the load ended by itself: ${Buffer.concat(complaints).toString()}`);
}
