import type { CatalogEntry } from '#model-catalog/catalog.js';
import type { BaseModel } from './dto.js';

/** A catalog entry as it is shown. @param withPrices false: they are withheld */
export function baseModel(entry: CatalogEntry, withPrices: boolean): BaseModel {
  const price = (dollars: number) => (withPrices ? dollars : null);
  return {
    id: entry.id,
    label: entry.label,
    description: entry.description,
    task_type: entry.task_type,
    family: entry.family,
    multilingual: entry.multilingual,
    context_window: entry.context_window,
    release_month: entry.release_month,
    input_price_per_million: price(entry.input_price_per_million),
    output_price_per_million: price(entry.output_price_per_million),
    cache_read_price_per_million: price(entry.cache_read_price_per_million),
    cache_write_price_per_million: price(entry.cache_write_price_per_million),
    supports_inference: entry.supports_inference,
    supports_training: entry.supports_training,
    supports_on_demand_inference: entry.supports_on_demand_inference,
    deprecated: entry.deprecated,
    ...(entry.tier !== undefined && { tier: entry.tier }),
  };
}
