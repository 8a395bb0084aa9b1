import { generateKeyPairSync } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** A person as the provider knows them: their claims. */
export type Person = Readonly<Record<string, unknown>>;

export interface TestProvider {
  readonly issuer: string;
  readonly client: { readonly id: string; readonly secret: string };
  /** Sets the person who signs in from now on. */
  signs(person: Person): void;
  /** Publishes another key than the one with which it signs, as if somebody else had signed. */
  publishesAnotherKey(): Promise<void>;
  close(): Promise<void>;
}

/** An OpenID provider on a free port, where everybody who comes signs in as one person and consents. */
export async function startOidcProvider(redirectUri: string): Promise<TestProvider> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { id: 'anneal', secret: 'the secret of a client in a test' };
  let person: Person = {};
  const provider: Provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUri] },
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    cookies: { keys: ['a key of a test'] },
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => Promise.resolve({ sub, ...person }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId: oidc.client!.clientId, accountId: oidc.session!.accountId! });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const serve = provider.callback();
  let keys: ((response: ServerResponse) => void) | null = null;
  server.on('request', (request, response) => {
    if (keys && request.url === '/jwks') keys(response);
    else if (!request.url!.startsWith('/interaction/')) void serve(request, response);
    else void provider.interactionFinished(request, response, { login: { accountId: 'somebody' } });
  });
  return {
    ...{ issuer, client },
    signs: (signing) => {
      person = signing;
    },
    publishesAnotherKey: async () => {
      const own = (await (await fetch(`${issuer}/jwks`)).json()) as { keys: object[] };
      const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const key = { ...own.keys[0], ...publicKey.export({ format: 'jwk' }) };
      keys = (response) => response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [key] }));
    },
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}
