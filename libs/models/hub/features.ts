import { isRecord } from '#primitives/values.js';

/**
 * The features of a configuration in `dataset_info` of a dataset card: one, or a list with one for each configuration.
 * @returns undefined when the card does not say them
 * @see https://github.com/huggingface/hub-docs/blob/main/datasetcard.md
 */
export function featuresOfCard(info: unknown, config: string): unknown {
  const all: readonly unknown[] = Array.isArray(info) ? info : [info];
  const found = all.find((each) => isRecord(each) && (each['config_name'] ?? config) === config);
  return isRecord(found) ? found['features'] : undefined;
}

/**
 * The features of a configuration in `dataset_infos.json`: an object with a key for each configuration.
 * @returns undefined when they are not there, or the text is no such object
 */
export function featuresOfInfos(json: string, config: string): unknown {
  try {
    const infos = JSON.parse(json) as unknown;
    if (!isRecord(infos)) return undefined;
    const names = Object.keys(infos);
    const info = Object.hasOwn(infos, config) ? infos[config] : names.length === 1 ? infos[names[0]!] : undefined;
    return isRecord(info) ? info['features'] : undefined;
  } catch {
    return undefined;
  }
}
