import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { run } from '#test/servers/tools.js';
import { compose, describeWithChecker, helm, kubectlValidate, systemdAnalyze } from './tools.js';

const DEPLOY = join(import.meta.dirname, '..', '..', '..', 'deploy');
const CHART = join(DEPLOY, 'helm', 'anneal');
/** Values that turn on whatever the defaults leave out. */
const ALL = [
  'ingress.enabled=true',
  'ingress.className=nginx',
  'ingress.tlsSecret=tls',
  'worker.maxReplicas=4',
  'runner.targetWaiting=5',
];
const set = (values: readonly string[]) => values.flatMap((value) => ['--set', value]);
/** The oldest and the newest Kubernetes whose schemas the validator has. */
const KUBERNETES = ['1.27', '1.30'];

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- of any kind
  readonly spec: any;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'anneal-deploy-'));
});
afterAll(() => rm(folder, { recursive: true }));

const [helmHere, validateHere, composeHere, systemdHere] = await Promise.all([
  helm(),
  kubectlValidate(),
  compose(),
  systemdAnalyze(),
]);

describeWithChecker('the Helm chart', helmHere, (path) => {
  const template = (...values: readonly string[]) =>
    run(path, ['template', 'prod', CHART, '--kube-version', '1.30', ...set(values)]);
  const rendered = async (...values: readonly string[]) =>
    parseAllDocuments(await template(...values)).map((document) => document.toJS() as Resource);

  it('passes helm lint', async () => {
    expect(await run(path, ['lint', '--strict', CHART])).toContain('0 chart(s) failed');
  });

  it.each([
    ['api.replicas=0', /replicas/],
    ['apis.replicas=2', /apis/],
    ['settings.annealLogLevel=info', /settings/],
    ['image.digest=latest', /digest/],
  ])('refuses %s, naming it', async (value, named) => {
    await expect(template(value)).rejects.toThrow(named);
  });

  it('runs every role without root, on a read-only root, with probes and a budget for disruptions', async () => {
    const resources = await rendered();
    const deployments = resources.filter(({ kind }) => kind === 'Deployment');
    expect(deployments.map(({ metadata }) => metadata.name)).toEqual(['prod-api', 'prod-worker', 'prod-gpu-runner']);
    for (const { metadata, spec } of deployments) {
      const [container] = spec.template.spec.containers;
      expect(spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      expect(container.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.volumeMounts.map((mount: { mountPath: string }) => mount.mountPath)).toEqual(['/data', '/tmp']);
      expect(container.readinessProbe.httpGet.path).toBe('/health/ready');
      const budget = resources.find(
        ({ kind, metadata: { name } }) => kind === 'PodDisruptionBudget' && name === metadata.name,
      );
      expect(budget!.spec.selector).toEqual(spec.selector);
    }
  });

  describeWithChecker('for Kubernetes', validateHere, (validate) => {
    it.each(KUBERNETES.flatMap((version) => [[version, []] as const, [version, ALL] as const]))(
      '%s is valid: %j',
      async (version, values) => {
        const file = join(folder, `${version}-${values.length}.yaml`);
        await writeFile(file, await template(...values));
        expect(await run(validate, ['--version', version, file])).toContain('OK');
      },
    );

    it('would be refused with a field that Kubernetes does not know', async () => {
      const file = join(folder, 'wrong.yaml');
      await writeFile(file, (await template()).replace('maxUnavailable: 1', 'maxUnavailabel: 1'));
      await expect(run(validate, ['--version', KUBERNETES[0]!, file])).rejects.toThrow();
    });
  });
});

describeWithChecker('docker-compose.yml', composeHere, (path) => {
  // What stands for variables of .env: compose.spec.ts.
  const config = (...files: readonly string[]) => run(path, ['--no-interpolation', ...files]);
  const file = join(DEPLOY, '..', 'docker-compose.yml');

  it.each([[[]], [['three-event-stores.yml']]])('follows the schema of compose files, with %j', async (more) => {
    expect(await config(file, ...more.map((name) => join(DEPLOY, name)))).toContain('read_only: true');
  });

  it('would be refused with a field that compose does not know', async () => {
    const wrong = join(folder, 'docker-compose.yml');
    await writeFile(wrong, (await readFile(file, 'utf8')).replace('mem_limit:', 'mem_limt:'));
    await expect(config(wrong)).rejects.toThrow('mem_limt');
  });
});

describeWithChecker('the systemd unit', systemdHere, (path) => {
  it('is valid, and well confined', async () => {
    const unit = join(folder, 'anneal.service');
    const text = await readFile(join(DEPLOY, 'anneal.service'), 'utf8');
    // The command must be there.
    await writeFile(unit, text.replace('/usr/local/bin/anneal', '/bin/true'));
    await run(path, ['verify', unit]);
    await copyFile(join(DEPLOY, 'anneal.service'), unit);
    const report = await run(path, ['security', '--offline=true', '--threshold=20', '--no-pager', unit]);
    expect(report).toMatch(/Overall exposure level for anneal\.service: [01]\.\d/);
  });
});
