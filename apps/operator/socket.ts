import { chmod, rm } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Json, JsonObject } from '#domain/json.js';
import { OperationError, type Operations } from './operation.js';

/** The operator's way to a running system: HTTP on a socket in the data folder, which only its owner may open. */
const socketPath = (dataDir: string): string => join(dataDir, 'operator.sock');

/** Operations that run at once: in all, and of one name. */
const MAX_RUNNING = 32;
const MAX_OF_ONE_NAME = 4;
/** Bytes of an operation's arguments. */
const MAX_ARGUMENTS = 1024 * 1024;

type Line = { readonly frame: Json } | { readonly error: string } | { readonly done: true };

/** Serves operations until closed: one request each, answered by one line of JSON for each frame. */
export async function serveOperations(dataDir: string, operations: Operations): Promise<{ close(): Promise<void> }> {
  const path = socketPath(dataDir);
  const running: string[] = [];
  const server = createServer((incoming, response) => void answer(incoming, response, operations, running));
  // The data folder is locked by this process, so an existing socket belongs to a dead one.
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  await chmod(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** @param running names of the operations that run, one for each */
async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  operations: Operations,
  running: string[],
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const write = (line: Line) => response.write(`${JSON.stringify(line)}\n`);
  response.setHeader('content-type', 'application/x-ndjson');
  const name = (incoming.url ?? '').slice(1);
  let isRunning = false;
  try {
    const operation = Object.hasOwn(operations, name) && operations[name];
    if (!operation) throw new OperationError('the running system does not know this operation; is it another version?');
    requireTurn(name, running);
    running.push(name);
    isRunning = true;
    const args = await argumentsOf(incoming);
    for await (const frame of operation(args, gone.signal)) {
      if (gone.signal.aborted) return;
      if (!write({ frame })) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    }
    write({ done: true });
  } catch (error) {
    write({ error: error instanceof Error ? error.message : String(error) });
  } finally {
    if (isRunning) running.splice(running.indexOf(name), 1);
    response.end();
  }
}

/** @throws OperationError as many operations run as may, in all or of this name */
function requireTurn(name: string, running: readonly string[]): void {
  if (running.filter((each) => each === name).length >= MAX_OF_ONE_NAME)
    throw new OperationError(`${name} runs ${MAX_OF_ONE_NAME} times already; wait until one has ended`);
  if (running.length >= MAX_RUNNING)
    throw new OperationError(`${MAX_RUNNING} operations run already; wait until one has ended`);
}

/** @throws OperationError they are too large */
async function argumentsOf(incoming: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ARGUMENTS)
      throw new OperationError(`the arguments must be at most ${MAX_ARGUMENTS / 1024 / 1024} MiB of JSON`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonObject;
}

/**
 * Sends an operation to the running system.
 * @throws OperationError with its answer
 * @throws NoSystemError when no system runs on this folder
 */
export async function* askRunning(
  dataDir: string,
  operation: string,
  args: JsonObject,
  signal: AbortSignal,
): AsyncIterable<Json> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // A separate connection: one on which arguments were refused unread is reset.
    const to = { socketPath: socketPath(dataDir), path: `/${operation}`, method: 'POST', agent: false };
    const outgoing = request({ ...to, signal });
    outgoing.on('response', resolve);
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const absent = error.code === 'ENOENT' || error.code === 'ECONNREFUSED';
      reject(absent ? new NoSystemError(`no system runs on ${dataDir}`) : error);
    });
    outgoing.end(JSON.stringify(args));
  });
  try {
    for await (const text of createInterface({ input: response })) {
      const line = JSON.parse(text) as Line;
      if ('error' in line) throw new OperationError(line.error);
      if ('done' in line) return;
      yield line.frame;
    }
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof OperationError) throw error;
  }
  if (!signal.aborted) throw new OperationError('the system has stopped');
}

export class NoSystemError extends Error {
  override readonly name = 'NoSystemError';
}
