import type { JsonObject } from '#domain/json.js';
import { HostedModelError } from './port.js';

/** A provider's exceptions from the refusals. */
export interface Allowed {
  /** Names of fields. */
  readonly fields: ReadonlySet<string>;
  /** Schemes of addresses, besides `https` and `data`: lower case, without the colon. */
  readonly schemes: ReadonlySet<string>;
}

/**
 * Fields by which gateways (LiteLLM's and others) let a request choose its destination, key, proxy, or another model:
 * by name without case, dashes and underscores. A tenant that could send them would use the operator's credentials.
 * https://docs.litellm.ai/docs/completion/input
 */
const STEERING = new Set([
  ...['baseurl', 'apibase', 'apiurl', 'apikey', 'apiversion', 'apitype', 'endpoint', 'endpointurl', 'deploymentid'],
  ...['extraheaders', 'extrabody', 'extraquery', 'defaultheaders', 'defaultquery', 'httpheaders', 'requestheaders'],
  ...[
    'customllmprovider',
    'userconfig',
    'modellist',
    'routersettings',
    'routersettingsoverride',
    'configurableclientsideauthparams',
  ],
  ...['fallbacks', 'contextwindowfallbacks', 'contentpolicyfallbacks', 'defaultfallbacks'],
  ...['httpproxy', 'httpsproxy', 'proxies', 'proxyurl', 'sslverify', 'sslcertificate', 'forwardheaders'],
  ...['clientsecret', 'clientid', 'tenantid', 'azureadtoken', 'azureadtokenprovider', 'azureendpoint', 'azureusername'],
  ...['azurepassword', 'hftoken', 'openaiapikey', 'anthropicapikey', 'mockresponse', 'mocktoolcalls', 'nolog'],
]);
/** `litellm_params`, `aws_secret_access_key`, `vertex_credentials`, `watsonx_url`, ... */
const STEERING_PREFIX = /^(?:litellm|aws|vertex|watsonx|sagemaker|oci)(?=[a-z])/;
/** Steering fields at the top of a request only: nested ones have another meaning (a tool's own headers). */
const STEERING_AT_TOP = new Set([
  ...['headers', 'proxy', 'host', 'credentials', 'organization', 'models', 'route', 'guardrails'],
  ...['inputcostpertoken', 'outputcostpertoken', 'token', 'authorization', 'secret', 'password', 'hosts', 'server'],
]);

/** Fields that name files of the provider's account, which is the operator's, or of its machine. */
const STORED = new Set([
  ...[
    'fileid',
    'fileids',
    'containerid',
    'vectorstoreids',
    'allowedlocalmediapath',
    'allowedmediadomains',
    'mediapath',
  ],
]);
/** Blocks with what a provider's tool made: a caller repeats them. */
const MADE = /_(?:output|result)$/;

/**
 * Fields with words and data of callers, tools or models, which are never interpreted as an address or an instruction.
 */
const OPAQUE = new Set([
  ...['parameters', 'input_schema', 'json_schema', 'schema', 'arguments', 'metadata', 'citations', 'annotations'],
  ...['logit_bias', 'properties'],
]);
/** Blocks whose `input` is a tool call's. */
const TOOL_USE = /tool_use$/;
/** Blocks that cite a source: their addresses are not fetched. */
const FOUND = /(?:search_result|fetch_result|_citation|_location)$/;

/**
 * The meaning of a field by its name: `address`: its texts are addresses; `perhaps-address`: or ids, or bytes;
 * `stored`: the name of something that the operator's account holds; `opaque`: never inspected here.
 */
type Meaning = 'plain' | 'stored' | 'steering' | 'steering-at-top' | 'address' | 'perhaps-address' | 'opaque';

/**
 * Refuses what would make a provider act on behalf of the operator: steering fields, and addresses with other schemes
 * than `https` and `data`, anywhere in the body.
 * @throws HostedModelError of kind `rejected` (422), naming the field
 */
export function refuseSteering(body: JsonObject, allowed: Allowed): void {
  const found = steeringIn(body, allowed, 0);
  if (found === null) return;
  const { path, problem } = found;
  throw new HostedModelError('rejected', `\`${path.slice(0, MAX_PATH)}\` ${problem}`, {
    upstreamStatus: 422,
    param: path.slice(0, MAX_PATH),
  });
}

/** Whether a field of this name is refused unless a provider's entry allows it. */
export const isSteering = (name: string): boolean =>
  ['steering', 'steering-at-top', 'stored'].includes(meaningOfNew(name));

const MAX_PATH = 200;
/** Bodies of callers are shallower; a deeper one would end the stack. */
const MAX_DEPTH = 500;

interface Found {
  readonly path: string;
  readonly problem: string;
}

function steeringIn(value: object, allowed: Allowed, depth: number): Found | null {
  if (depth > MAX_DEPTH)
    throw new HostedModelError('rejected', 'the body is nested too deeply', { upstreamStatus: 422 });
  const isTop = depth === 0;
  const { type } = value as { readonly type?: unknown };
  const kind = typeof type === 'string' ? type : '';
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    const meaning = meaningOf(key);
    if (meaning === 'plain' && (typeof item !== 'object' || item === null)) continue;
    if (meaning === 'steering' || (meaning === 'steering-at-top' && isTop)) {
      if (allowed.fields.has(key)) continue;
      return { path: key, problem: 'is not passed on to providers; leave it out' };
    }
    if (meaning === 'stored' && !MADE.test(kind)) {
      if (allowed.fields.has(key)) continue;
      return {
        path: key,
        problem: 'is not passed on to providers: it names what their account holds; send the content',
      };
    }
    if (meaning === 'opaque' && !isTop) continue;
    // A tool's own headers go to its address, which is checked.
    if (key === 'metadata' || key === 'headers' || (key === 'input' && TOOL_USE.test(kind))) continue;
    const isAddress = meaning === 'address' || meaning === 'perhaps-address';
    const found = within(item, isAddress && !FOUND.test(kind) ? meaning : 'plain', allowed, depth + 1);
    if (found !== null) return { path: found.path === '' ? key : `${key}.${found.path}`, problem: found.problem };
  }
  return null;
}

/** Searches a field's value and its items. */
function within(value: unknown, meaning: Meaning, allowed: Allowed, depth: number): Found | null {
  if (typeof value === 'string') return meaning === 'plain' ? null : addressProblem(value, meaning, allowed);
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) return steeringIn(value, allowed, depth);
  if (depth > MAX_DEPTH) return steeringIn(value, allowed, depth);
  for (const [index, item] of value.entries()) {
    const found = typeof item === 'number' ? null : within(item, meaning, allowed, depth + 1);
    if (found !== null)
      return { path: found.path === '' ? `${index}` : `${index}.${found.path}`, problem: found.problem };
  }
  return null;
}

function addressProblem(text: string, meaning: Meaning, { schemes }: Allowed): Found | null {
  // Normalised as URL parsers do: leading characters are skipped, line breaks and tabs are removed.
  const start = text
    .slice(0, 200)
    .replace(/^[\u0000-\u0020]+/, '')
    .replace(/[\t\r\n]/g, '');
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(start)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    const isPath = meaning === 'address' && /^(?:\/(?!9j\/)|\\|~|\.{1,2}[/\\])/.test(start);
    return isPath ? { path: '', problem: 'must be an address that begins with https: or data:' } : null;
  }
  if (scheme === 'https' || scheme === 'data' || schemes.has(scheme)) return null;
  if (meaning === 'perhaps-address' && !start.startsWith('//', scheme.length + 1) && scheme !== 'file') return null;
  return { path: '', problem: `must be an address that begins with https: or data: (got ${scheme.slice(0, 20)}:)` };
}

/** Cache by the name as written; bounded, because callers choose names. */
const meanings = new Map<string, Meaning>();
const MAX_MEANINGS = 5_000;

function meaningOf(name: string): Meaning {
  const known = meanings.get(name);
  if (known !== undefined) return known;
  const meaning = meaningOfNew(name);
  if (meanings.size < MAX_MEANINGS && name.length <= 100) meanings.set(name, meaning);
  return meaning;
}

function meaningOfNew(name: string): Meaning {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (STEERING.has(plain) || STEERING_PREFIX.test(plain)) return 'steering';
  if (STORED.has(plain)) return 'stored';
  if (STEERING_AT_TOP.has(plain)) return 'steering-at-top';
  if (OPAQUE.has(name)) return 'opaque';
  if (/ur[il]s?$/.test(plain)) return 'address';
  return /^(?:file(?:data)?|files?|images?|audios?|videos?|source|src|href)$/.test(plain) ? 'perhaps-address' : 'plain';
}
