import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import {
  asEgressError,
  EgressFailedError,
  EgressRefusedError,
  isPublicAddress,
  openEgress,
  type Egress,
} from './index.js';

describe('an address', () => {
  it.each([
    ['this host', ['0.0.0.0', '0.1.2.3', '::']],
    ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
    ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12::1']],
    ['shared between carrier and customers', ['100.64.0.1', '100.100.100.200']],
    ['link-local, where clouds keep metadata', ['169.254.169.254', '169.254.170.2', 'fe80::1', 'fd00:ec2::254']],
    ["a cloud's own service", ['168.63.129.16', '192.0.0.192']],
    ['multicast or broadcast', ['224.0.0.1', '255.255.255.255', 'ff02::1']],
    ['reserved or for documentation', ['240.0.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1']],
    ['for benchmarks', ['198.18.0.1', '198.19.255.255']],
    ['IPv4 mapped into IPv6', ['::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::ffff:10.0.0.1']],
    ['IPv4 compatible', ['::127.0.0.1', '::7f00:1', '::a00:1']],
    ['IPv4 behind a translator or tunnel', ['64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001::1']],
    ['site-local of old', ['fec0::1']],
    ['none', ['', 'localhost', '1.2.3', '::g', '2130706433', '0x7f000001']],
  ])('that is %s is not public', (_what, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });

  it('of the public Internet is public', () => {
    const addresses = ['1.1.1.1', '8.8.8.8', '18.160.0.1', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111'];
    expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([]);
  });

  it('mapped into IPv6 is public only if the IPv4 one is', () => {
    fc.assert(fc.property(fc.ipV4(), (address) => !isPublicAddress(`::ffff:${address}`) || isPublicAddress(address)));
  });
});

it.each([
  [
    'the innermost code',
    new TypeError('fetch failed', {
      cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED', cause: new Error() }),
    }),
    'hub.example did not answer (ECONNREFUSED)',
  ],
  ['nothing where there is none', new TypeError('fetch failed', { cause: new Error() }), 'hub.example did not answer'],
])('a failed request is reported with %s', (_what, error, message) => {
  expect(asEgressError(error, 'hub.example').message).toBe(message);
});

describe('an outgoing request', () => {
  let server: Server;
  let origin: string;
  let other: Server;
  let elsewhere: string;
  const egresses: Egress[] = [];
  const seen: IncomingMessage[] = [];
  let answer: (request: IncomingMessage, response: ServerResponse) => void;

  beforeAll(async () => {
    const listen = async () => {
      const listening = createServer((request, response) => {
        seen.push(request);
        answer(request, response);
      });
      await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
      return [listening, `http://127.0.0.1:${(listening.address() as AddressInfo).port}`] as const;
    };
    [server, origin] = await listen();
    [other, elsewhere] = await listen();
  });
  beforeEach(() => {
    seen.length = 0;
    answer = (request, response) => response.end(request.url);
  });
  afterEach(async () => {
    await Promise.all(egresses.splice(0).map((egress) => egress.close()));
  });
  afterAll(() => {
    for (const each of [server, other]) {
      each.close();
      each.closeAllConnections();
    }
  });

  const open = (options: Parameters<typeof openEgress>[0]) => {
    const egress = openEgress(options);
    egresses.push(egress);
    return egress;
  };
  const resolving =
    (...answers: string[][]) =>
    async () =>
      (answers.length > 1 ? answers.shift()! : answers[0]!).map((address) => ({
        address,
        family: address.includes(':') ? 6 : 4,
      }));
  const port = () => new URL(origin).port;
  const redirectTo = (location: string, status = 302) => {
    answer = (request, response) =>
      request.url === '/from' ? response.writeHead(status, { location }).end() : response.end(request.url);
  };

  it('may go to the host that the operator named, even private and without TLS', async () => {
    const { fetch } = open({ trusted: [`${origin}/some/path`] });
    expect(await (await fetch(`${origin}/x`)).text()).toBe('/x');
  });

  it('may not go to another port or scheme of that host', async () => {
    const { fetch } = open({ trusted: [origin] });
    await expect(fetch(`${elsewhere}/x`)).rejects.toThrow(EgressRefusedError);
    await expect(fetch(`https://127.0.0.1:${port()}/`)).rejects.toThrow(EgressRefusedError);
    expect(seen).toEqual([]);
  });

  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '2130706433', '0x7f.1', '127.1', '169.254.169.254'])(
    'to %s is refused, however it is written',
    async (host) => {
      const { fetch } = open({ trusted: ['https://hub.example'] });
      await expect(fetch(`https://${host}:${port()}/`)).rejects.toThrow(EgressRefusedError);
      await expect(fetch(`http://${host}:${port()}/`)).rejects.toThrow(EgressRefusedError);
      expect(seen).toEqual([]);
    },
  );

  it.each([[['127.0.0.1']], [['::1']], [['169.254.169.254']], [['1.1.1.1', '10.0.0.1']], [['::ffff:10.0.0.1']], [[]]])(
    'to a name that resolves to %j is refused',
    async (addresses) => {
      const { fetch } = open({ resolve: resolving(addresses) });
      await expect(fetch(`https://evil.example:${port()}/`)).rejects.toThrow(EgressRefusedError);
    },
  );

  it('goes to the address that was checked, even if the name then resolves to another one', async () => {
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
    };
    const { fetch } = open({ trusted: [`http://hub.example:${port()}`], resolve });
    await (await fetch(`http://hub.example:${port()}/`)).text();
    expect(asked).toBe(1);
    expect(seen[0]?.socket.localAddress).toBe('127.0.0.1');
  });

  it('is refused as soon as a name resolves to a private address', async () => {
    const { fetch } = open({ connectMs: 300, resolve: resolving(['192.0.2.1'], ['127.0.0.1']) });
    await expect(fetch(`https://rebinding.example:${port()}/`)).rejects.toThrow(EgressRefusedError);
    await expect(fetch(`https://rebinding.example:${port()}/`)).rejects.toThrow(EgressRefusedError);
    expect(seen).toEqual([]);
  });

  it.each(['http://169.254.169.254/latest/meta-data', 'https://10.0.0.1/', 'https://[::1]/', 'file:///etc/passwd'])(
    'is not redirected to %s',
    async (location) => {
      redirectTo(location);
      const { fetch } = open({ trusted: [origin] });
      await expect(fetch(`${origin}/from`)).rejects.toThrow(EgressRefusedError);
    },
  );

  it('is redirected within the host, and to other named ones without its credentials', async () => {
    const { fetch } = open({ trusted: [origin, elsewhere] });
    const headers = { authorization: 'Bearer secret', cookie: 'a=b', accept: 'text/plain' };
    redirectTo('/to');
    expect(await (await fetch(`${origin}/from`, { headers })).text()).toBe('/to');
    expect(seen[1]?.headers).toMatchObject(headers);
    redirectTo(`${elsewhere}/to`);
    await (await fetch(`${origin}/from`, { headers })).text();
    expect(seen[3]?.headers).toMatchObject({ accept: 'text/plain', host: new URL(elsewhere).host });
    expect(seen[3]?.headers).not.toHaveProperty('authorization');
    expect(seen[3]?.headers).not.toHaveProperty('cookie');
  });

  it('keeps or drops its body on a redirect as the Fetch standard requires', async () => {
    const { fetch } = open({ trusted: [origin] });
    const post = { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } };
    for (const [status, method] of [
      [301, 'GET'],
      [303, 'GET'],
      [307, 'POST'],
      [308, 'POST'],
    ] as const) {
      redirectTo('/to', status);
      await (await fetch(`${origin}/from`, post)).text();
      expect([status, seen.at(-1)?.method]).toEqual([status, method]);
    }
  });

  it('ends when redirects form a loop', async () => {
    redirectTo('/from');
    const { fetch } = open({ trusted: [origin] });
    await expect(fetch(`${origin}/from`)).rejects.toThrow(EgressFailedError);
    expect(seen).toHaveLength(6);
  });

  it('has a deadline for the answer, and for each part of it', async () => {
    const { fetch } = open({ trusted: [origin], headersMs: 100, idleMs: 100 });
    answer = () => undefined;
    const failed = fetch(`${origin}/secret-path`);
    await expect(failed).rejects.toThrow(EgressFailedError);
    await expect(failed).rejects.toThrow(new URL(origin).host);
    await expect(failed).rejects.not.toThrow('secret-path');
    answer = (_request, response) => response.write('begun');
    await expect((await fetch(origin)).text()).rejects.toThrow();
  });

  it('fails clearly when no server answers; an abort stays an abort', async () => {
    const { fetch } = open({ trusted: ['http://127.0.0.1:9'] });
    await expect(fetch('http://127.0.0.1:9/')).rejects.toThrow(EgressFailedError);
    const { fetch: patient } = open({ trusted: [origin] });
    answer = () => undefined;
    const reason = new Error('enough');
    await expect(patient(origin, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
