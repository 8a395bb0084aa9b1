/** A model as `GET /base-models` shows it. Prices are USD for a million tokens. */
export interface CatalogEntry {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly task_type: TaskType;
  /** Tokens. */
  readonly context_window: number;
  /** `2026-11`. */
  readonly release_month: string | null;
  readonly input_price_per_million: number;
  readonly output_price_per_million: number;
  readonly cache_read_price_per_million: number;
  readonly cache_write_price_per_million: number;
  readonly supports_inference: boolean;
  readonly supports_training: boolean;
  readonly supports_on_demand_inference: boolean;
  readonly deprecated: boolean;
  readonly tier?: string;
}

export const TASK_TYPES = ['encoder', 'decoder', 'embedding'] as const;
export type TaskType = (typeof TASK_TYPES)[number];

/** The catalog file: models, and other ids by which they are also known. */
export interface CatalogFile {
  readonly models: readonly CatalogFileEntry[];
  readonly aliases: Readonly<Record<string, string>>;
}

/** A missing cache price is the input price. */
export type CatalogFileEntry = Omit<CatalogEntry, 'cache_read_price_per_million' | 'cache_write_price_per_million'> & {
  readonly cache_read_price_per_million: number | null;
  readonly cache_write_price_per_million: number | null;
};
