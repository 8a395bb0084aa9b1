import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CONFIGURATION = (folder: string) => `
[tsa]
default_tsa = authority
[authority]
serial = ${folder}/serial
signer_cert = ${folder}/tsa.pem
certs = ${folder}/ca.pem
signer_key = ${folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ess_cert_id_chain = no
ess_cert_id_alg = sha256
[for_time_stamps]
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
[for_servers]
basicConstraints = CA:FALSE
extendedKeyUsage = serverAuth
`;

/** A time-stamp authority (RFC 3161) made of OpenSSL's command. */
export class SmallAuthority {
  /** Answers as they are; a test may put others in their place. */
  answer = (reply: Buffer): Buffer => reply;
  status = 200;

  private constructor(
    private readonly folder: string,
    private readonly server: Server,
  ) {}

  static async start(): Promise<SmallAuthority> {
    const folder = await mkdtemp(join(tmpdir(), 'anneal-tsa-'));
    const at = (name: string) => join(folder, name);
    await writeFile(at('openssl.cnf'), CONFIGURATION(folder));
    await writeFile(at('serial'), '01\n');
    const openssl = (...args: readonly string[]) => run('openssl', args);
    const key = ['-newkey', 'rsa:2048', '-nodes'];
    await openssl(
      'req',
      '-x509',
      ...key,
      '-keyout',
      at('ca.key'),
      '-out',
      at('ca.pem'),
      '-days',
      '2',
      '-subj',
      '/CN=Small CA',
    );
    for (const [name, purpose] of [
      ['tsa', 'for_time_stamps'],
      ['server', 'for_servers'],
    ] as const) {
      const request = at(`${name}.csr`);
      await openssl('req', ...key, '-keyout', at(`${name}.key`), '-out', request, '-subj', '/CN=Small authority');
      await openssl(
        ...['x509', '-req', '-in', request, '-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-out', at(`${name}.pem`)],
        ...['-days', '2', '-extfile', at('openssl.cnf'), '-extensions', purpose],
      );
    }
    const server = createServer((request, response) => {
      void (async () => {
        await writeFile(at('query'), Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)));
        await openssl(
          'ts',
          '-reply',
          '-config',
          at('openssl.cnf'),
          '-section',
          'authority',
          '-queryfile',
          at('query'),
          '-out',
          at('reply'),
        );
        const reply = authority.answer(await readFile(at('reply')));
        response.writeHead(authority.status, { 'content-type': 'application/timestamp-reply' }).end(reply);
      })().catch(() => response.destroy());
    });
    const authority = new SmallAuthority(folder, server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return authority;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/tsr`;
  }

  get certificates(): string {
    return join(this.folder, 'ca.pem');
  }

  /** The same statement, signed by a certificate of the same CA that is for servers. @param info the TSTInfo, DER */
  async signedByServer(info: Uint8Array): Promise<Buffer> {
    const at = (name: string) => join(this.folder, name);
    await writeFile(at('info.der'), info);
    await run('openssl', [
      ...['cms', '-sign', '-binary', '-nodetach', '-md', 'sha256', '-econtent_type', '1.2.840.113549.1.9.16.1.4'],
      ...['-in', at('info.der'), '-signer', at('server.pem'), '-inkey', at('server.key')],
      ...['-outform', 'DER', '-out', at('token.der')],
    ]);
    return readFile(at('token.der'));
  }

  /** Whether OpenSSL takes the answer for a time stamp of these bytes. */
  async takes(answer: Uint8Array, bytes: string): Promise<boolean> {
    await writeFile(join(this.folder, 'given.tsr'), answer);
    await writeFile(join(this.folder, 'given.txt'), bytes);
    const given = ['-in', join(this.folder, 'given.tsr'), '-data', join(this.folder, 'given.txt')];
    return run('openssl', ['ts', '-verify', ...given, '-CAfile', this.certificates]).then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
    await rm(this.folder, { recursive: true });
  }
}
