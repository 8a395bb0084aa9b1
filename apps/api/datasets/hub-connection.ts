import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { openEgress, type Egress } from '#egress/index.js';
import { Hub } from '#hub/index.js';
import { Settings } from '#settings/index.js';

/** The hub that the settings name, for as long as the API is there. */
@Injectable()
export class HubConnection implements OnModuleDestroy {
  readonly hub: Hub;
  readonly #egress: Egress;

  constructor({ hubUrl }: Settings) {
    this.#egress = openEgress({ trusted: [hubUrl] });
    this.hub = new Hub(hubUrl, this.#egress);
  }

  onModuleDestroy(): Promise<void> {
    return this.#egress.close();
  }
}
