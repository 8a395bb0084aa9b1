import { randomUUID } from 'node:crypto';
import { Toxiproxy, type Proxy } from 'toxiproxy-node-client';
import type { ServerAddresses } from '#test/deployments/distributed.js';
import { freePort } from '#primitives/free-port.js';

export type Link = keyof ServerAddresses;

/** A fault injected into everything that servers send or receive. */
export interface Toxic {
  readonly type: 'latency' | 'bandwidth' | 'slicer' | 'timeout' | 'reset_peer' | 'limit_data';
  readonly attributes: object;
  readonly stream?: 'upstream' | 'downstream';
  /** Share of connections with the fault; default: all. */
  readonly toxicity?: number;
}

/** A network of its own between some processes and the servers. */
export class SpoiltNetwork {
  private constructor(
    private readonly proxies: ReadonlyMap<Link, Proxy>,
    /** Addresses of the servers behind the proxies. */
    readonly addresses: ServerAddresses,
  ) {}

  /** @param control of toxiproxy */
  static async between(control: string, servers: ServerAddresses): Promise<SpoiltNetwork> {
    const toxiproxy = new Toxiproxy(control);
    const proxies = new Map<Link, Proxy>();
    const addresses: Record<string, string> = {};
    for (const [link, address] of Object.entries(servers) as [Link, string][]) {
      const [upstream] = /127\.0\.0\.1(?::|%3A)\d+/.exec(address)!;
      const listen = `127.0.0.1:${await freePort()}`;
      const name = `${link}-${randomUUID()}`;
      proxies.set(link, await toxiproxy.createProxy({ name, listen, upstream: decodeURIComponent(upstream) }));
      addresses[link] = address.replace(upstream, upstream.includes('%3A') ? encodeURIComponent(listen) : listen);
    }
    return new SpoiltNetwork(proxies, addresses as unknown as ServerAddresses);
  }

  /** @returns takes it away again */
  async spoil(links: readonly Link[], toxics: readonly Toxic[]): Promise<() => Promise<void>> {
    const added = await Promise.all(
      links.flatMap((link) =>
        toxics.map(({ type, attributes, stream = 'downstream', toxicity = 1 }) =>
          this.proxies.get(link)!.addToxic({
            ...{ name: `${type}-${stream}`, type, stream, toxicity },
            attributes: attributes as never,
          }),
        ),
      ),
    );
    return async () => {
      await Promise.all(added.map((toxic) => toxic.remove()));
    };
  }

  async close(): Promise<void> {
    for (const proxy of this.proxies.values()) await proxy.remove();
  }
}

export const ALL_LINKS: readonly Link[] = ['eventStore', 'mongodb', 'nats', 's3'];
