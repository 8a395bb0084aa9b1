import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { openEgress, type Egress } from '#primitives/egress/index.js';
import { Hub } from '#models/hub/index.js';
import { Settings } from '#settings/index.js';

/** A large file must arrive completely before the answer. Requests before it have a shorter deadline. */
const ANSWER_MS = 10 * 60 * 1000;

/** The hub from the settings, for the lifetime of the API. */
@Injectable()
export class HubConnection implements OnModuleDestroy {
  readonly hub: Hub;
  private readonly egress: Egress;

  constructor({ hubUrl }: Settings) {
    this.egress = openEgress({ trusted: [hubUrl], headersMs: ANSWER_MS });
    this.hub = new Hub(hubUrl, this.egress);
  }

  onModuleDestroy(): Promise<void> {
    return this.egress.close();
  }
}
