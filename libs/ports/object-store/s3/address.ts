import { isObjectKey } from '../keys.js';

/** The place of objects in S3. Credentials are not part of it; they come from AWS's default chain. */
export interface S3Location {
  readonly bucket: string;
  /** Prefix of every key: empty, or ending in a slash. */
  readonly prefix: string;
  /** null: AWS's own for the region. */
  readonly endpoint: string | null;
  /** The endpoint in presigned addresses, for clients that cannot reach `endpoint`; null for the same. */
  readonly publicEndpoint: string | null;
  /** null: from the environment or the profile. */
  readonly region: string | null;
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`. */
  readonly pathStyle: boolean;
}

const PARAMETERS = ['endpoint', 'publicEndpoint', 'region', 'pathStyle'] as const;
type Parameter = (typeof PARAMETERS)[number];

/**
 * Parses `s3://BUCKET/PREFIX?endpoint=http://host:port&region=...&publicEndpoint=https://...&pathStyle=false`, where
 * only the bucket is required.
 * @throws TypeError naming the mistake, without showing the rest of the address
 */
export function parseS3Address(address: string): S3Location {
  const url = parse(address);
  const given = parametersOf(url);
  const endpoint = endpointOf('endpoint', given.endpoint);
  const publicEndpoint = endpointOf('publicEndpoint', given.publicEndpoint);
  return {
    bucket: bucketOf(url),
    prefix: prefixOf(url),
    endpoint,
    publicEndpoint,
    region: given.region ?? (endpoint === null ? null : 'us-east-1'),
    pathStyle: pathStyleOf(given.pathStyle) ?? endpoint !== null,
  };
}

function parse(address: string): URL {
  if (!address.startsWith('s3://')) throw wrong('it does not begin with s3://');
  const url = URL.parse(address);
  if (url === null) throw wrong('it is not a URL; give s3://BUCKET/PREFIX?region=...');
  if (url.username !== '' || url.password !== '')
    throw wrong(
      'it holds credentials, which do not belong there; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile',
    );
  return url;
}

function bucketOf({ hostname, port }: URL): string {
  if (port !== '') throw wrong('the bucket is followed by a port; the server goes into ?endpoint=http://HOST:PORT');
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/.test(hostname))
    throw wrong('the bucket, what follows s3://, must be 3 to 63 letters, digits, dots, hyphens or underscores');
  return hostname;
}

function prefixOf({ pathname }: URL): string {
  const prefix = pathname.replace(/^\/|\/$/g, '');
  if (prefix !== '' && !isObjectKey(prefix))
    throw wrong('the prefix, what follows the bucket, must be words of A-Z a-z 0-9 . _ - between slashes');
  return prefix === '' ? '' : `${prefix}/`;
}

function parametersOf({ searchParams }: URL): Partial<Record<Parameter, string>> {
  for (const name of searchParams.keys())
    if (!(PARAMETERS as readonly string[]).includes(name))
      throw wrong(`it has an unknown parameter ${JSON.stringify(name)}; known are ${PARAMETERS.join(', ')}`);
  // An empty value counts as absent: an unset variable leaves one in a template.
  return Object.fromEntries([...searchParams].filter(([, value]) => value !== ''));
}

function endpointOf(name: Parameter, value: string | undefined): string | null {
  if (value === undefined) return null;
  const url = URL.parse(value);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw wrong(`${name} is not an address like https://HOST:PORT`);
  if (url.username !== '' || url.password !== '') throw wrong(`${name} holds credentials, which do not belong there`);
  if (url.search !== '' || url.hash !== '') throw wrong(`${name} has a query or a fragment; give https://HOST:PORT`);
  return value.replace(/\/+$/, '');
}

function pathStyleOf(value: string | undefined): boolean | null {
  if (value === undefined) return null;
  if (value !== 'true' && value !== 'false') throw wrong('pathStyle must be true or false');
  return value === 'true';
}

const wrong = (what: string): TypeError => new TypeError(`the address of the object store cannot be used: ${what}`);
