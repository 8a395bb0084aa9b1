import { api, body, type Schema } from '../../api/client.js';
import type { Route } from '../../api/permitted.js';

/** What all certificates say. */
export type Certificate =
  | Schema['ErasureCertificate']
  | NonNullable<Schema['MemberRemoved']['certificate']>
  | NonNullable<Schema['DeletedVersion']['certificate']>;

export interface Erased {
  readonly certificates: readonly Certificate[];
  readonly notErased: readonly Schema['NotErased'][];
}

export interface Wanted {
  readonly id: string;
  /** Of a dataset. */
  readonly version: string;
  /** Whether dataset versions with copies of the calls are erased with them. */
  readonly cascade: boolean;
  readonly why: { readonly reason?: string; readonly ticket?: string };
}

interface Kind {
  readonly title: string;
  /** Name of the field that says which one. */
  readonly of: string;
  readonly hint?: string;
  readonly sends: Route;
  /** What is lost and what stays. */
  readonly loss: string;
  readonly erase: (wanted: Wanted) => Promise<Erased>;
}

const one = (certificate: Certificate | null | undefined): Erased => ({
  certificates: certificate ? [certificate] : [],
  notErased: [],
});

export const KINDS = {
  subject: {
    title: 'all calls of a person',
    of: 'Data subject',
    hint: '`user`, `safety_identifier` or `metadata.user_id` of the requests.',
    sends: 'DELETE /inferences',
    loss: 'What these calls asked and were answered, with corrections and notes on them, is lost for good, in the log and in its backups. Times, tokens and prices stay.',
    erase: eraseSubject,
  },
  call: {
    title: 'one call',
    of: 'Id of the call',
    sends: 'DELETE /inferences/{id}',
    loss: 'What this call asked and was answered, with corrections and notes on it, is lost for good, in the log and in its backups. Its time, tokens and price stay.',
    erase: async ({ id, cascade, why }) =>
      one(await body(api.DELETE('/inferences/{id}', { params: { path: { id }, query: { cascade, ...why } } }))),
  },
  dataset: {
    title: 'a version of a dataset',
    of: 'Dataset',
    sends: 'DELETE /felix/datasets/{name}/{version}',
    loss: 'All rows and files of this version are lost for good: it cannot be restored. Its name, number, hash and labels stay on the log; so do models that learned from it.',
    erase: async ({ id: name, version, why }) =>
      one(
        (
          await body(
            api.DELETE('/felix/datasets/{name}/{version}', {
              params: { path: { name, version }, query: { erase: true, ...why } },
            }),
          )
        ).certificate,
      ),
  },
  member: {
    title: "a member's e-mail address",
    of: 'Member',
    sends: 'DELETE /workspace/members/{user_id}',
    loss: 'The address, password and sessions of this person are lost for good, and the person leaves the team. What they did stays under their id.',
    erase: async ({ id: user_id, why }) =>
      one(
        (
          await body(
            api.DELETE('/workspace/members/{user_id}', {
              params: { path: { user_id }, query: { erase: true, ...why } },
            }),
          )
        ).certificate,
      ),
  },
} as const satisfies Record<string, Kind>;

export type KindName = keyof typeof KINDS;

/** A request erases some hundred calls; it is repeated until none is left, or none of those left can be erased. */
async function eraseSubject({ id: subject, cascade, why }: Wanted): Promise<Erased> {
  const certificates: Certificate[] = [];
  for (;;) {
    const { data, not_erased, complete } = await body(
      api.DELETE('/inferences', { params: { query: { subject, cascade, ...why } } }),
    );
    const known = new Set(certificates.map((each) => 'inference_id' in each && each.inference_id));
    const fresh = data.filter(({ inference_id }) => !known.has(inference_id));
    certificates.push(...fresh);
    if (complete || fresh.length === 0) return { certificates, notErased: not_erased };
  }
}
