import * as fc from 'fast-check';

/** The sender of a request: the workspace under test, by one of several credentials, or a stranger. */
export type Credential = 'key' | 'bearer' | 'session' | 'cookie' | 'unknown' | 'none';

/** The kinds of things that an id or a name refers to. */
export const KINDS = [
  'dataset',
  'dataset-id',
  'version',
  'job',
  'model',
  'response',
  'project',
  'inference',
  'evaluation',
  'generation',
  'file',
  'fine-tuning',
  'batch',
  'webhook',
  'key',
  'stream',
  'member',
  'model-name',
  'improvement',
  'distillation',
  'incident',
  'hold',
] as const;
export type Kind = (typeof KINDS)[number];

/** A placeholder for an id: the n-th known thing of its kind when the request is sent. */
export class Reference {
  constructor(
    readonly kind: Kind,
    readonly whose: 'own' | 'foreign',
    readonly n: number,
  ) {}

  [fc.toStringMethod](): string {
    return `<${this.whose} ${this.kind} ${this.n}>`;
  }
}

export const reference = (kind: Kind, whose?: 'own'): fc.Arbitrary<Reference> =>
  fc.tuple(whose ? fc.constant(whose) : WHOSE, fc.nat(40)).map(([owner, n]) => new Reference(kind, owner, n));

const WHOSE = fc.oneof({ arbitrary: fc.constant('own' as const), weight: 3 }, fc.constant('foreign' as const));

/** The kinds that fields of bodies and queries refer to, wherever they occur. */
const FIELDS: Readonly<Record<string, Kind>> = {
  dataset_name: 'dataset',
  output_name: 'dataset',
  dataset_id: 'dataset-id',
  version: 'version',
  version_number: 'version',
  model: 'model',
  model_id: 'model',
  previous_response_id: 'response',
  training_file: 'file',
  input_file_id: 'file',
  base_model: 'model',
  training_job_id: 'job',
  project_id: 'project',
  key_id: 'key',
  stream: 'stream',
  user_id: 'member',
  member_id: 'member',
};

const RESOURCES: readonly (readonly [RegExp, Kind])[] = [
  [/^\/(?:felix|v1)\/datasets\//, 'dataset'],
  [/^\/(?:felix\/training-jobs|v1\/training\/jobs)\//, 'job'],
  [/^\/felix\/evaluations\//, 'evaluation'],
  [/^\/generate\/jobs\//, 'generation'],
  [/^\/v1\/files\//, 'file'],
  [/^\/v1\/fine_tuning\/jobs\//, 'fine-tuning'],
  [/^\/v1\/batches\//, 'batch'],
  [/^\/projects\//, 'project'],
  [/^\/(?:v1\/)?(?:inferences|review)\//, 'inference'],
  [/^\/account\/holds\//, 'hold'],
  [/^\/webhooks\//, 'webhook'],
  [/^\/models\//, 'model-name'],
  [/^\/improvements\//, 'improvement'],
  [/^\/distillations\//, 'distillation'],
  [/^\/incidents\//, 'incident'],
  [/^\/lineage\/datasets\//, 'dataset'],
  [/^\/v1\/models\//, 'model'],
  [/^\/v1\/responses\//, 'response'],
];

export const kindOfField = (name: string): Kind | null => FIELDS[name] ?? null;

export function kindOfPathParameter(path: string, name: string): Kind | null {
  if (name === 'version') return 'version';
  return RESOURCES.find(([resource]) => resource.test(path))?.[1] ?? null;
}

/** The ids and names that answers have given. */
export class KnownIds {
  private readonly all = new Map<Kind, Set<string>>();
  private readonly never: ReadonlySet<string>;

  /** @param never what is not to be used: the key that is asked with */
  constructor(never: readonly string[] = []) {
    this.never = new Set(never);
  }

  add(kind: Kind, value: unknown): void {
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string' || text === '' || this.never.has(text)) return;
    const known = this.all.get(kind) ?? new Set();
    this.all.set(kind, known.add(text));
    // The newest are the more interesting ones; the first are those that the test has made.
    if (known.size > MOST) known.delete([...known][KEPT]!);
  }

  of(kind: Kind): readonly string[] {
    return [...(this.all.get(kind) ?? [])];
  }

  /** Takes in what an answer holds. @param path of the route that answered */
  learn(path: string, body: unknown): void {
    const resource = RESOURCES.find(([pattern]) => pattern.test(`${path}/`))?.[1];
    this.learnFrom(body, resource ?? (/trained-models|training/.test(path) ? 'job' : null), 0);
  }

  private learnFrom(value: unknown, resource: Kind | null, depth: number): void {
    if (typeof value !== 'object' || value === null || depth > 6) return;
    if (Array.isArray(value)) {
      for (const one of value.slice(0, 20)) this.learnFrom(one, resource, depth + 1);
      return;
    }
    for (const [name, field] of Object.entries(value)) {
      const kind = NAMED[name] ?? (name === 'id' ? resource : null) ?? kindOfField(name);
      if (kind) this.add(kind, field);
      if (kind === 'job') {
        this.add('model', field);
        this.add('stream', `job-${String(field)}`);
      }
      this.learnFrom(field, SUB_RESOURCES[name] ?? resource, depth + 1);
    }
  }
}

const MOST = 60;
const KEPT = 10;
/** Names that differ between answers and requests. */
const NAMED: Readonly<Record<string, Kind>> = { job_id: 'generation', inference_id: 'inference' };
const SUB_RESOURCES: Readonly<Record<string, Kind>> = {
  checkpoints: 'model',
  keys: 'key',
  projects: 'project',
  members: 'member',
  versions: 'dataset-id',
  datasets: 'dataset-id',
  inferences: 'inference',
};
