import { join } from 'node:path';
import { cached, serversCache } from '#test/servers/cache.js';
import { find, goInstall, need } from '#test/servers/tools.js';

/** A program that checks files of `deploy/`, or why there is none here. */
export type Checker = { readonly path: string } | { readonly reason: string };

/** A Go program, built once on each machine. */
async function built(name: string, version: string, program: string): Promise<Checker> {
  try {
    await need(['go']);
    const folder = await cached(serversCache(), `${name}-${version}`, (into) =>
      goInstall(`${program}@v${version}`, into),
    );
    return { path: join(folder, program.split('/').at(-1)!) };
  } catch (error) {
    return { reason: `${name} ${version} cannot be built: ${(error as Error).message.split('\n')[0]}` };
  }
}

export const helm = () => built('helm', '3.22.0', 'helm.sh/helm/v3/cmd/helm');

/** Kubernetes' own validation, with the schemas of its releases built in: kubeconform would fetch them from elsewhere. */
export const kubectlValidate = () => built('kubectl-validate', '0.0.4', 'sigs.k8s.io/kubectl-validate');

/** Prometheus' own check of metrics and rules. */
export const promtool = () => built('promtool', '0.316.0', 'github.com/prometheus/prometheus/cmd/promtool');

/** What `docker compose config` runs, without Docker. */
export const compose = () => built('compose-go', '2.9.0', 'github.com/compose-spec/compose-go/v2/cmd');

export async function systemdAnalyze(): Promise<Checker> {
  const path = await find('systemd-analyze');
  return path === null ? { reason: 'systemd-analyze is not installed' } : { path };
}

/** A suite on a program, skipped with the reason where there is none. */
export function describeWithChecker(name: string, checker: Checker, suite: (path: string) => void): void {
  if ('path' in checker) describe(name, () => suite(checker.path));
  else
    describe.skip(`${name}: skipped: ${checker.reason}`, () => {
      it('is checked', () => undefined);
    });
}
