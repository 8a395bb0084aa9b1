import { readFile } from 'node:fs/promises';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { HealthSource } from '#primitives/health/health.js';
import type { Background, Repeated } from '#primitives/background/background.js';
import { readProvidersOf } from '#calls/hosted/open.js';
import type { Provider } from '#calls/hosted/providers.js';
import type { Catalog } from '#models/catalog/catalog.js';
import type { Settings } from '#settings/index.js';
import type { ProcessHostedModels } from './process-hosted-models.js';

/** How often the files are read, in milliseconds. */
const EVERY_MS = 1_000;

/** The models of this process, as its files name them. */
interface InForce {
  readonly hosted: Pick<ProcessHostedModels, 'providers' | 'replace'>;
  readonly catalog: Catalog;
  /** @throws SettingsError a file that cannot be used */
  readonly openCatalog: (providers: { has(name: string): boolean }) => Catalog;
  /** Records what the files changed. */
  readonly record: (providers: ReadonlyMap<string, Provider>) => Promise<void>;
}

/**
 * Takes changes of the providers file, its key files and the catalog while the process runs, all of them or none: while one of
 * them cannot be used, those before stay in force. Contents are compared, since files that are mounted change in many ways.
 */
export class ModelFiles implements OnApplicationShutdown {
  private readonly repeated: Repeated | null;
  /** Contents of the files in force; null: not read yet, or not in force. */
  private known: string | null = null;
  private failedSince: string | null = null;

  constructor(
    private readonly settings: Pick<Settings, 'providers' | 'modelCatalog'>,
    private readonly inForce: InForce,
    background: Background,
  ) {
    const isAny = settings.providers !== null || settings.modelCatalog !== null;
    this.repeated = isAny ? background.repeat('model-files', () => this.look(), { everyMs: EVERY_MS }) : null;
  }

  /** Anyone may read it: the reason, which may name a path, is in the log. */
  readonly health: HealthSource = {
    name: 'model-files',
    check: async () =>
      this.failedSince === null
        ? { status: 'up', details: {} }
        : {
            status: 'degraded',
            details: { reason: 'changed files are not in use; see the log', since: this.failedSince },
          },
  };

  async onApplicationShutdown(): Promise<void> {
    await this.repeated?.close();
  }

  /** @throws SettingsError a file that cannot be used */
  private async look(): Promise<void> {
    const found = await this.contents();
    if (found === this.known) return;
    try {
      await this.inForce.record(this.take());
      this.known = found;
      this.failedSince = null;
    } catch (error) {
      this.known = null;
      this.failedSince ??= new Date().toISOString();
      throw error;
    }
  }

  private take(): ReadonlyMap<string, Provider> {
    const { hosted, catalog, openCatalog } = this.inForce;
    const providers = readProvidersOf(this.settings);
    catalog.replaceBy(openCatalog(providers));
    hosted.replace(providers);
    return providers;
  }

  private async contents(): Promise<string> {
    const { providers, modelCatalog } = this.settings;
    const keys = [...this.inForce.hosted.providers.values()].map(({ keyFile }: Provider) => keyFile);
    const paths = [providers, modelCatalog, ...keys].filter((path) => path !== null);
    // A file that cannot be read is judged where it is needed.
    return JSON.stringify(await Promise.all(paths.map((path) => readFile(path, 'utf8').catch(() => null))));
  }
}
