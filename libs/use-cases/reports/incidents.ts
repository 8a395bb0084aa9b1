import type { IncidentEvent } from '#domain/incident/index.js';
import type { Recorded } from '../events/log-reader.js';
import type { Gathered } from './gathered.js';
import type { Names } from './names.js';
import { cited, fact, notRecorded, type Section, type Statement } from './report.js';

/** The incidents of a workspace that were opened, changed or closed in the period. */
export function incidentSections(
  gathered: Gathered,
  names: Names,
  { since, until }: { readonly since: string | null; readonly until: string | null },
): readonly Section[] {
  const all = gathered.events<IncidentEvent>('incident');
  const isWithin = ({ metadata: { occurredAt } }: Recorded<IncidentEvent>) =>
    (since === null || occurredAt >= since) && (until === null || occurredAt <= until);
  const touched = new Set(all.filter(isWithin).map(({ data }) => data.incidentId));
  const byId = Map.groupBy(
    all.filter(({ data }) => touched.has(data.incidentId)),
    ({ data }) => data.incidentId,
  );
  const sections = [...byId].map(([incidentId, events]) => ({
    title: `Incident ${incidentId}`,
    statements: incidentStatements(events, names),
  }));
  if (sections.length === 0)
    return [{ title: 'Incidents', statements: [notRecorded('Incidents of this workspace in the period')] }];
  return [
    ...sections,
    {
      title: 'Reports to authorities',
      statements: [notRecorded('Reports of serious incidents to market surveillance authorities (article 73)')],
    },
  ];
}

/** One statement for each event. */
export const incidentStatements = (events: readonly Recorded<IncidentEvent>[], names: Names): readonly Statement[] =>
  events.map((event) => {
    const { type, data, metadata } = event;
    const by = `by ${names.of(metadata.actor)}`;
    const values = { ...data };
    if (type === 'incident-opened.v1') {
      const { incidentId, title, severity, description, calls, model, version, openedAt } = data;
      const about =
        model === null ? 'no model is named' : `model ${model}${version === null ? '' : `, version ${version}`}`;
      const affected = calls.length === 0 ? 'no call is named' : `calls ${calls.join(', ')}`;
      return fact(
        `${openedAt}: incident ${incidentId} was opened ${by}: ${JSON.stringify(title)}, severity ${severity}; ${about}; ${affected}. ${JSON.stringify(description)}`,
        [cited(event)],
        values,
      );
    }
    if (type === 'incident-closed.v1')
      return fact(
        `${data.closedAt}: incident ${data.incidentId} was closed ${by}: ${JSON.stringify(data.resolution)}`,
        [cited(event)],
        values,
      );
    const changes = Object.entries(data.changes).map(([field, value]) => `${field} ${JSON.stringify(value)}`);
    return fact(
      `${data.updatedAt}: incident ${data.incidentId} was updated ${by}: ${[...changes, ...(data.note === null ? [] : [JSON.stringify(data.note)])].join('; ')}`,
      [cited(event)],
      values,
    );
  });
