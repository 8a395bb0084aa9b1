import { ROLES, type Role } from '#domain/permissions.js';
import { isEmailAddress } from '#domain/user/index.js';
import { PASSWORD_CHARACTERS } from '#primitives/secrets/index.js';
import { isIP } from 'node:net';

/** An unusable setting. Its message is one line: the setting, the mistake, the fix; never a secret. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  constructor(
    readonly setting: string,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(`${setting} ${problem}`, options);
  }
}

export type Durability = 'full' | 'normal';
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Reads one setting's text. @throws SettingsError */
export type Parse<T> = (name: string, value: string) => T;

export const text: Parse<string> = (_name, value) => value;

export const port: Parse<number> = (name, value) => {
  const number = /^\d{1,5}$/.test(value) ? Number(value) : NaN;
  if (!(number <= 65_535))
    throw new SettingsError(name, `is ${quoted(value)}; give a port from 0 (any free one) to 65535`);
  return number;
};

export const runnerName: Parse<string> = (name, value) => {
  if (!/^[A-Za-z0-9._-]{1,63}$/.test(value))
    throw new SettingsError(name, `is ${quoted(value)}; give 1 to 63 letters, digits, dots, - or _`);
  return value;
};

/** https://www.npmjs.com/package/@fastify/proxy-addr */
export const proxies: Parse<string> = (name, value) => {
  for (const proxy of value.split(',').map((each) => each.trim()))
    if (!['loopback', 'linklocal', 'uniquelocal'].includes(proxy) && !isNetwork(proxy))
      throw new SettingsError(name, `holds ${quoted(proxy)}; give addresses, ADDRESS/BITS, loopback or uniquelocal`);
  return value;
};

function isNetwork(text: string): boolean {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits ?? 0) <= (version === 4 ? 32 : 128);
}

/** Origins of web pages: those listed, or all. */
export type CorsOrigins = readonly string[] | '*';

/** Schemes of pages that are not on the web: `app://obsidian.md`, `chrome-extension://...`. */
const APP_ORIGIN = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[a-z0-9][a-z0-9.-]*(?::\d+)?$/;

/** Compares with what browsers send, letter by letter (https://html.spec.whatwg.org/#ascii-serialisation-of-an-origin). */
export const corsOrigins: Parse<CorsOrigins> = (name, value) => {
  if (value === '*') return '*';
  const origins = value.split(',').map((each) => each.trim());
  for (const origin of origins)
    if (!APP_ORIGIN.test(origin) && !isWebOrigin(origin))
      throw new SettingsError(
        name,
        `holds ${quoted(origin)}; give origins between commas, as browsers write them (https://app.example.com, ` +
          'without a path, a slash at the end or the default port), or * alone',
      );
  return origins;
};

/** Origins of web addresses. */
export const webOrigins: Parse<readonly string[]> = (name, value) => {
  const origins = value.split(',').map((each) => each.trim());
  for (const origin of origins)
    if (!isWebOrigin(origin) || !/^https?:/.test(origin))
      throw new SettingsError(
        name,
        `holds ${quoted(origin)}; give origins between commas (http://hooks.internal:9000), without a path, a slash at the ` +
          'end or the default port',
      );
  return origins;
};

export interface AuditWitness {
  readonly url: string;
  /** Public key of a witness that cosigns; null for an address that is only notified. */
  readonly key: string | null;
}

export const witnesses: Parse<readonly AuditWitness[]> = (name, value) =>
  value.split(',').map((each) => {
    const [url = '', key = null, ...more] = each.trim().split(/\s+/);
    if (!URL.canParse(url) || !/^https?:/.test(url) || more.length > 0)
      throw new SettingsError(
        name,
        `holds ${quoted(each.trim())}; give addresses between commas, each with the witness's key behind a space if it cosigns ` +
          '(https://witness.example NAME+ID+KEY)',
      );
    return { url, key };
  });

export interface TimestampAuthority {
  readonly url: string;
  /** File with the certificates that are trusted, in PEM; null: none is, and stamps are only read. */
  readonly certificates: string | null;
}

export const timestampAuthority: Parse<TimestampAuthority> = (name, value) => {
  const [, url = '', certificates = null] = /^(\S+)(?:\s+(.+))?$/.exec(value) ?? [];
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new SettingsError(
      name,
      `is no web address; give that of an authority, and behind a space the file with its certificates ` +
        '(https://tsa.example/tsr /etc/anneal/tsa.pem)',
    );
  return { url, certificates };
};

/** A `*` within a name would match nothing: browsers send the whole name. */
const isWebOrigin = (text: string): boolean =>
  !text.includes('*') && URL.canParse(text) && new URL(text).origin === text;

export const bytes: Parse<number> = (name, value) => {
  const number = /^\d+$/.test(value) ? Number(value) : NaN;
  if (!Number.isSafeInteger(number) || number < 1024)
    throw new SettingsError(name, `is ${quoted(value)}; give a whole number of bytes, 1024 or more`);
  return number;
};

const wholeNumber =
  (unit: string, max: number, min = 1): Parse<number> =>
  (name, value) => {
    const number = /^\d{1,6}$/.test(value) ? Number(value) : NaN;
    if (!(number >= min && number <= max))
      throw new SettingsError(name, `is ${quoted(value)}; give a whole number of ${unit} from ${min} to ${max}`);
    return number;
  };

/** Minutes of a day at most. */
export const minutes = wholeNumber('minutes', 24 * 60);
export const days = wholeNumber('days', 36_500);
export const hours = wholeNumber('hours', 24 * 366);
export const processes = wholeNumber('processes', 64);
/** Below the minimum, the beginnings of a content that stay in its event would save nothing. */
export const inlineBytes = wholeNumber('bytes', 64 * 1024, 8 * 1024);

export const oneOf =
  <const T extends string>(...words: readonly T[]): Parse<T> =>
  (name, value) => {
    const found = words.find((word) => word === value.toLowerCase());
    if (found === undefined) throw new SettingsError(name, `is ${quoted(value)}; give ${words.join(' or ')}`);
    return found;
  };

export const onOrOff: Parse<boolean> = (name, value) => oneOf('on', 'off')(name, value) === 'on';

export const publicUrl: Parse<string> = (name, value) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
    throw new SettingsError(
      name,
      'is not a web address; give one like https://anneal.example.com, without query or user',
    );
  return url.href.replace(/\/+$/, '');
};

export const email: Parse<string> = (name, value) => {
  if (!isEmailAddress(value)) throw new SettingsError(name, 'is not an e-mail address; give one like ada@example.com');
  return value.toLowerCase();
};

const API_KEY = /^(?:pio|fast)_sk_[A-Za-z0-9_-]{32,200}$/;

export const apiKey: Parse<string> = (name, value) => {
  if (!API_KEY.test(value))
    throw new SettingsError(
      name,
      'is not a key; give pio_sk_ or fast_sk_ followed by 32 to 200 letters, digits, - or _ ' +
        '(make one: echo pio_sk_$(openssl rand -hex 32))',
    );
  return value;
};

export const password: Parse<string> = (name, value) => {
  const { min, max } = PASSWORD_CHARACTERS;
  if (value.length < min || value.length > max)
    throw new SettingsError(name, `has ${value.length} characters; give ${min} to ${max}`);
  return value;
};

/** A role for who signs in with this value of a claim. */
export interface RoleRule {
  readonly claim: string;
  readonly value: string;
  readonly role: Role;
}

/** `groups:ml-team=developer, groups:audit=auditor` */
export const roleRules: Parse<readonly RoleRule[]> = (name, value) =>
  value.split(',').map((rule) => {
    const [, claim, wanted, given] = /^\s*([\w.-]+):(.+)=(\w+)\s*$/.exec(rule) ?? [];
    const role = ROLES.find((each) => each === given);
    if (claim !== undefined && wanted !== undefined && role) return { claim, value: wanted, role };
    throw new SettingsError(
      name,
      `holds ${quoted(rule.trim())}; give CLAIM:VALUE=ROLE between commas, with a role of ${ROLES.join(', ')}`,
    );
  });

/** Tokens are sent to the provider: over TLS, unless it is on this machine. */
export const issuer: Parse<string> = (name, value) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  const isHere = url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)) return value;
  throw new SettingsError(name, 'is not the address of a provider; give one that begins with https://');
};

export const secretKey: Parse<string> = (name, value) => {
  if (Buffer.byteLength(value) < 32)
    throw new SettingsError(name, 'is too short; give at least 32 random characters (openssl rand -hex 32)');
  return value;
};

const quoted = (value: string): string => JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}...` : value);
