import type { Application } from '#application/application.js';
import type { Projections } from '#log/projector/thread/start.js';
import type { ContentKeysLocation } from '#ports/key-store/content-keys.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import type { Settings } from '#settings/index.js';
import { archiveOperations } from './audit-archive.js';
import { reportOperations } from './audit-report.js';
import { auditOperations } from './audit-restart.js';
import { creditOperations } from './credits.js';
import { datasetOperations } from './datasets.js';
import { eventOperations } from './events.js';
import { exportOperations } from './exports.js';
import { keyOperations } from './keys.js';
import type { Operations } from './operation.js';
import { projectionOperations } from './projections.js';
import { readOperations } from './reads.js';
import { rebillOperations } from './rebill.js';
import { secretOperations } from './secret.js';
import { signInLinks, signInOperations } from './sign-in-links.js';
import { teamOperations } from './teams.js';
import { namingOperator } from './operator-context.js';

interface OperatedSystem {
  readonly settings: Pick<Settings, 'adminEmail'>;
  readonly application: Application;
  readonly secret: SecretKey;
  readonly contentKeys: ContentKeysLocation;
  readonly projectionHost: Projections;
  readonly publicAddress: { readonly url: string };
}

/** All operator's operations. @param onKeyRevoked as for `keyOperations` */
export const allOperations = (
  { settings, application, secret, contentKeys, projectionHost, publicAddress }: OperatedSystem,
  onKeyRevoked: (keyHash: string) => void = () => {},
): Operations => {
  const newLink = signInLinks(application, secret, publicAddress);
  return namingOperator({
    ...keyOperations(application, secret, onKeyRevoked),
    ...archiveOperations(application),
    ...auditOperations(application),
    ...reportOperations(application),
    ...eventOperations(application.openedEvents, (options) => application.storedEvents.check(options)),
    ...projectionOperations(projectionHost),
    ...readOperations(application),
    ...datasetOperations(application),
    ...exportOperations(application),
    ...teamOperations(application, newLink, settings),
    ...signInOperations(application, newLink),
    ...creditOperations(application),
    ...rebillOperations(application, projectionHost),
    ...secretOperations(application, secret, contentKeys),
  });
};
