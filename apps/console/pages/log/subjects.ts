import type { Schema } from '../../api/client.js';
import type { Names } from '../../api/names.js';
import { isRecord } from '../../components/json.js';

type Event = Schema['EventRecord'];

/** What an event is about, by the name that people gave it; undefined where none is known. */
export type SubjectOf = (event: Event) => string | undefined;

/** Names what events are about: each by what it says itself, else by what another event of its stream says. */
export function subjectsIn(events: readonly Event[], names: Names): SubjectOf {
  const byStream = new Map<string, string>();
  for (const event of events) {
    const name = nameIn(event);
    if (name !== undefined) byStream.set(event.stream, name);
  }
  return (event) => {
    const { stream } = event;
    const name =
      nameIn(event) ?? byStream.get(stream) ?? names.get(stream.replace(/^[a-z]+-/, '')) ?? saidBy(event, names);
    return name && name + versionIn(event);
  };
}

/** The name of what the whole stream is about. */
const nameIn = ({ data: { name, modelName, url } }: Event): string | undefined =>
  text(name) ?? text(modelName) ?? text(url);

/** What this one event is about. */
function saidBy({ data }: Event, names: Names): string | undefined {
  const { modelId, model, covers, keyId, userId } = data;
  const of = text(modelId) ?? (isRecord(model) ? text(model['id']) : undefined);
  return (
    (of && (names.get(of) ?? (isId(of) ? undefined : of))) ??
    (isRecord(covers) ? (text(covers['id']) ?? text(covers['kind'])) : undefined) ??
    names.get(`key:${text(keyId)}`) ??
    names.get(`user:${text(userId)}`)
  );
}

/** `/2` of a dataset, `@2` of a model. */
function versionIn({ stream, data }: Event): string {
  if (stream.startsWith('dataset-') && typeof data['versionNumber'] === 'number') return `/${data['versionNumber']}`;
  return stream.startsWith('model-') && typeof data['version'] === 'number' ? `@${data['version']}` : '';
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const isId = (name: string): boolean => /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(name);
