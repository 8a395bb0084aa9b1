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
    const said = saidBy(event, names);
    if (said !== undefined) byStream.set(event.stream, said);
  }
  return (event) => {
    const name = saidBy(event, names) ?? byStream.get(event.stream) ?? names.get(event.stream.replace(/^[a-z]+-/, ''));
    return name && name + versionIn(event);
  };
}

function saidBy({ data }: Event, names: Names): string | undefined {
  const { name, modelName, modelId, model, covers, url, keyId, userId } = data;
  const told = text(name) ?? text(modelName);
  if (told) return told;
  const of = text(modelId) ?? (isRecord(model) ? text(model['id']) : undefined);
  return (
    (of && (names.get(of) ?? (isId(of) ? undefined : of))) ??
    (isRecord(covers) ? text(covers['id']) : undefined) ??
    text(url) ??
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
