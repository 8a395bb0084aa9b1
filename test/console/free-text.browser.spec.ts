import { CHAT } from '#test/decoder-engine/catalog.js';
import { startParrotsAndHosted } from '#test/decoder-engine/hosted.js';
import { answers } from '#test/support/scripted-answers.js';
import type { ScriptedProvider } from '#test/support/scripted-provider.js';
import { tickets } from '#test/support/tickets.js';
import { hasChromium } from './browser.js';
import { onAPage } from './on-a-page.js';

const suite = hasChromium() ? describe : describe.skip;

const PROMPT = 'You answer the mails of a shop. Write one friendly sentence that says what happens next.';

suite('a prompt with free text as its answers, in the console', () => {
  let provider: ScriptedProvider;
  const on = onAPage(async () => {
    const started = await startParrotsAndHosted();
    ({ provider } = started);
    return started.api;
  });

  it('becomes a language model, where one can be trained', async () => {
    provider.script((response, request) => {
      const text = request.body.messages.at(-1).content as string;
      return answers(`Thank you: somebody who knows about "${text}" will answer you before the evening.`)(
        response,
        request,
      );
    });
    for (const { text } of Array.from({ length: 30 }, tickets(5))) {
      const messages = [
        { role: 'system', content: PROMPT },
        { role: 'user', content: text },
      ];
      await on.api.call('POST', '/v1/chat/completions', { model: 'acme/chat', messages });
    }
    await on.api.drained();
    await on.page.goto('/console/distillable');
    await on.page.getByRole('button', { name: `Why not: ${PROMPT}` }).click();
    await on.page.getByText('the answers are free text').waitFor();
    await on.page.getByLabel('Name that programs call').fill('letters');
    await on.page.getByLabel('Language model to train').selectOption(CHAT);
    await on.page.getByRole('button', { name: 'Train a language model' }).click();
    const begun = on.page.getByRole('region', { name: 'Distillations of letters' });
    await begun.getByText('version 1, a language model, answers all calls itself').waitFor();
    const { body } = await on.api.call('GET', '/models/letters');
    expect([body.version, body.policy?.cascade ?? null]).toEqual([1, null]);
  });
});
