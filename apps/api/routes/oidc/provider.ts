import type { Configuration } from 'openid-client';
import type { Settings } from '#settings/index.js';
import type { Claims } from '#use-cases/accounts/commands/sign-in-by-provider.js';

/** Loaded when somebody signs in: most processes have no provider. */
const openIdClient = () => import('openid-client');

/** State of a sign-in, which a browser brings back from the provider in a sealed cookie. */
export interface BegunSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/**
 * The OpenID provider: authorization code flow with PKCE, state and nonce.
 * OpenID Connect Core 1.0; RFC 9700 (OAuth 2.0 Security Best Current Practice)
 */
export class OidcProvider {
  private discovered: Promise<Configuration> | null = null;

  constructor(private readonly settings: Pick<Settings, 'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret'>) {}

  /**
   * @returns the address for the browser, and what it must bring back
   * @throws when the provider does not answer
   */
  async begin(redirectUri: string): Promise<{ readonly url: URL; readonly begun: BegunSignIn }> {
    const client = await openIdClient();
    const begun = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      codeVerifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(await this.configuration(), {
      ...{ redirect_uri: redirectUri, scope: 'openid email profile', state: begun.state, nonce: begun.nonce },
      code_challenge: await client.calculatePKCECodeChallenge(begun.codeVerifier),
      code_challenge_method: 'S256',
    });
    return { url, begun };
  }

  /** @param returned the address at which the browser came back @throws when the provider refused, or the answer is not its own */
  async finish(returned: URL, { state, nonce, codeVerifier }: BegunSignIn): Promise<Claims> {
    const client = await openIdClient();
    const configuration = await this.configuration();
    const checks = {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    };
    const tokens = await client.authorizationCodeGrant(configuration, returned, checks);
    const claims = tokens.claims()!;
    // Providers may leave the address out of the token.
    if (claims['email'] !== undefined || !configuration.serverMetadata().userinfo_endpoint) return claims;
    const told = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
    // The source of the address also decides whether it is verified.
    return { ...claims, email_verified: false, ...told };
  }

  private configuration(): Promise<Configuration> {
    this.discovered ??= this.discover().catch((error: unknown) => {
      this.discovered = null;
      throw error;
    });
    return this.discovered;
  }

  private async discover(): Promise<Configuration> {
    const client = await openIdClient();
    const { oidcIssuer, oidcClientId, oidcClientSecret } = this.settings;
    const issuer = new URL(oidcIssuer!);
    // Signatures of ID tokens are checked too, though they come from the provider itself: what it said can be shown later.
    const execute = [
      client.enableNonRepudiationChecks,
      ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
    ];
    return client.discovery(issuer, oidcClientId!, oidcClientSecret!, undefined, { execute });
  }
}
