import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { COSIGNATURE, formatVerifier, openCheckpoint, signerOf, type Verifier } from './checkpoint.js';
import { cosignatureLine } from './cosignature.js';
import { provesConsistency, type TreeHead } from './tree/proofs.js';

const signer = signerOf('witness.example/w1', Buffer.alloc(32, 7), COSIGNATURE);
const NOTHING: TreeHead = { size: 0, root: new Uint8Array() };

/** A small witness (C2SP tlog-witness) of one log, and an address that is only told of checkpoints (`/told`). */
export class SmallWitness {
  readonly key = formatVerifier(signer, COSIGNATURE);
  readonly verifier: Verifier = signer;
  readonly told: string[] = [];
  readonly statuses: number[] = [];
  newest: TreeHead = NOTHING;

  private constructor(
    private readonly server: Server,
    private readonly logKeys: () => Promise<readonly Verifier[]>,
  ) {}

  static async start(logKeys: () => Promise<readonly Verifier[]>): Promise<SmallWitness> {
    const server = createServer((request, response) => {
      void (async () => {
        const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
        if (request.url === '/told') {
          witness.told.push(body);
          response.writeHead(204).end();
          return;
        }
        const { status, text } =
          request.url === '/add-checkpoint' ? await witness.add(body) : { status: 404, text: '' };
        witness.statuses.push(status);
        response.writeHead(status, status === 409 ? { 'content-type': 'text/x.tlog.size' } : {}).end(text);
      })();
    });
    const witness = new SmallWitness(server, logKeys);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return witness;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async add(body: string): Promise<{ readonly status: number; readonly text: string }> {
    const at = body.indexOf('\n\n');
    const [old = '', ...hashes] = body.slice(0, at).split('\n');
    const note = body.slice(at + 2);
    const head = openCheckpoint(note, await this.logKeys());
    const size = Number(/^old (\d+)$/.exec(old)?.[1]);
    if (size > head.size) return { status: 400, text: '' };
    if (size !== this.newest.size) return { status: 409, text: `${this.newest.size}\n` };
    const proof = hashes.map((hash) => Buffer.from(hash, 'base64'));
    if (!provesConsistency(this.newest, head, proof)) return { status: 422, text: '' };
    this.newest = head;
    return { status: 200, text: `${cosignatureLine(note, signer, new Date())}\n` };
  }
}
