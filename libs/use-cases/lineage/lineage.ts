import type { TokenPriceFields } from '#domain/inference/index.js';
import type { JsonObject } from '#domain/json.js';
import type { EventCitation } from '../events/log-reader.js';
import type { providerRecord } from '../inferences/record.js';
import type { Actor } from './actors.js';
import type { Correction } from './calls.js';
import type { DerivedRows, Learner } from './followed-rows.js';
import type { VersionLineage } from './origins.js';
import type { Training } from './training.js';

/** The lineage of an answer: each fact with its event. */
export interface CallLineage {
  readonly id: string;
  /** The route of its record. */
  readonly record: string;
  readonly at: string;
  readonly status: string;
  /** Who made the call; `user` is the address of the user who owns the key. */
  readonly by: Actor & { readonly user_id: string | null; readonly user: string | null };
  readonly project: { readonly id: string; readonly name: string | null; readonly event: EventCitation | null } | null;
  readonly model: ModelInForce;
  /** The job whose model answered, then each that it started from. */
  readonly training: readonly Training[];
  /** Versions that these jobs learned from, and their sources. */
  readonly datasets: readonly VersionLineage[];
  /** Whether one of the two lists was cut. */
  readonly truncated: boolean;
  /** null for an imported call. */
  readonly price: PriceInForce | null;
  readonly corrections: readonly Correction[];
  /** The erasure of its content; null if it was not erased. */
  readonly erased: EventCitation | null;
  readonly event: EventCitation;
  readonly graph: LineageGraph;
  /** Where proofs were asked for: the signed checkpoint that they lead to, and the keys that may have signed it. */
  readonly checkpoint?: string;
  readonly public_keys?: readonly string[];
}

interface ModelInForce {
  /** As the call named it. */
  readonly asked: string;
  /** null for a call by an id other than a name. */
  readonly named: NameInForce | null;
  readonly kind: 'base' | 'trained' | 'imported';
  readonly base_model: string;
  readonly training_job_id: string | null;
  /** The engine that answered, else the one that the training job pinned. */
  readonly engine: Training['engine'] | null;
  readonly weights_sha256: string | null;
  /** null for a model that is not hosted. */
  readonly provider: (ReturnType<typeof providerRecord> & { readonly event: EventCitation }) | null;
}

interface NameInForce {
  readonly name: string;
  readonly version: number;
  readonly put_in_force_by: Actor | null;
  readonly reason: string | null;
  /** The last event before the call that put this version in use. */
  readonly event: EventCitation | null;
}

/** Picodollars per token. */
interface PriceInForce extends TokenPriceFields {
  readonly cost_picodollars: string;
  readonly source: 'configured';
  readonly event: EventCitation;
}

/** A page of the jobs that learned from rows, the oldest first. */
interface Learners {
  readonly jobs: readonly Learner[];
  /** Jobs of all pages. */
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** What came of the rows of a dataset version. */
export interface DatasetLineage extends Learners {
  readonly dataset: VersionLineage;
  readonly merged_into: readonly Omit<DerivedRows, 'rows'>[];
  readonly graph: LineageGraph;
}

/** Where a row came from, and what came of it. */
export interface RowLineage extends Learners {
  readonly dataset: VersionLineage;
  /** From 1. */
  readonly row: number;
  /** Where it was asked for; null after a purge. */
  readonly content?: JsonObject | null;
  /** Versions from which it was merged, the nearest first, with its row number there if that is known. */
  readonly came_from: readonly (VersionLineage & { readonly row: number | null })[];
  /** For feedback: the call whose judged answer became the row. */
  readonly call: CallOfRow | null;
  readonly merged_into: readonly DerivedRows[];
  readonly graph: LineageGraph;
}

interface CallOfRow {
  readonly id: string;
  readonly record: string;
  /** null if the call is no longer recorded. */
  readonly event: EventCitation | null;
  readonly corrections: readonly Correction[];
}

export const NODE_KINDS = [
  ...['call', 'answers', 'correction', 'actor'],
  ...['model_version', 'job', 'base_model', 'dataset_version', 'row'],
] as const;
export const RELATIONS = [
  ...['called', 'started', 'made', 'put_in_force', 'gave'],
  ...['learned', 'continued', 'based', 'named', 'answered', 'judged', 'merged', 'corrected', 'has'],
] as const;

/** The same facts as nodes and edges. All edges go from cause to result, and there is no way in a circle. */
export interface LineageGraph {
  /** Id of the requested node. */
  readonly root: string;
  readonly nodes: readonly LineageNode[];
  /** Both ends are nodes. */
  readonly edges: readonly LineageEdge[];
  /** Whether nodes are missing because of a limit or paging. */
  readonly truncated: boolean;
}

export interface LineageNode {
  readonly id: string;
  readonly kind: (typeof NODE_KINDS)[number];
  /** For people. */
  readonly label: string;
  /** The event that created it. */
  readonly event: EventCitation | null;
  /** The route with more details. */
  readonly link: string | null;
}

export interface LineageEdge {
  /** Id of the earlier node. */
  readonly from: string;
  readonly to: string;
  readonly relation: (typeof RELATIONS)[number];
  readonly event: EventCitation | null;
}
