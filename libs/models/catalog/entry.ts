import type { CatalogPrices, DerivedPrice, PriceMultipliers } from '#domain/inference/index.js';

/** A model of the catalog. */
export interface CatalogEntry extends CatalogPrices {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly task_type: TaskType;
  /** Models of one make, such as `qwen3`: how clients group them. */
  readonly family: string;
  /** Made for text in other languages than English too. */
  readonly multilingual: boolean;
  /**
   * Decoders only: whether the model follows instructions. A merely pre-trained one continues a text and accepts no
   * messages.
   */
  readonly instruct: boolean;
  /** Tokens. */
  readonly context_window: number;
  /** `2026-11`. */
  readonly release_month: string | null;
  readonly supports_inference: boolean;
  readonly supports_training: boolean;
  readonly supports_on_demand_inference: boolean;
  readonly deprecated: boolean;
  readonly tier?: string;
  /** Absent for everybody without the rollout. */
  readonly hidden: boolean;
  /** Listed for everybody, its prices only with the rollout. */
  readonly gated: boolean;
  /** The name of the rollout that reveals a hidden model, or the prices of a gated one. */
  readonly rollout: string | null;
  /** The provider that serves a direct model, and the model's id there; null: an engine here serves it. */
  readonly provider: HostedBy | null;
  /** Regions (ISO 3166-1 alpha-2) whose accounts must not use it. */
  readonly blocked_regions: readonly string[];
}

/** A provider of the providers file, and the model's id there. */
interface HostedBy {
  readonly name: string;
  readonly model: string;
  /** Providers to try, in this order, if the ones before cannot answer. */
  readonly fallbacks?: readonly Omit<HostedBy, 'fallbacks'>[];
}

export const TASK_TYPES = ['encoder', 'decoder', 'embedding'] as const;
export type TaskType = (typeof TASK_TYPES)[number];

/** The catalog file: models, and their alias ids. */
export interface CatalogFile {
  readonly models: readonly CatalogFileEntry[];
  readonly aliases?: Readonly<Record<string, string>>;
}

type Optional =
  | 'multilingual'
  | 'instruct'
  | 'release_month'
  | 'deprecated'
  | 'hidden'
  | 'gated'
  | 'rollout'
  | 'provider'
  | 'blocked_regions';

/** An entry as the file has it. A derived price is given as such or by its ratio to another, which is the default. */
export type CatalogFileEntry = Omit<CatalogEntry, Optional | DerivedPrice> & {
  readonly [Field in Optional]?: CatalogEntry[Field];
} & { readonly [Price in DerivedPrice]?: number | null } & PriceMultipliers;
