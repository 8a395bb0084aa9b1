import { parentPort } from 'node:worker_threads';
import { says, startScriptedAnthropic } from '#test/support/scripted-anthropic.js';
import { answers } from '#test/support/scripted-answers.js';
import { startScriptedProvider } from '#test/support/scripted-provider.js';

/** Providers of both styles on a thread of their own, so that what the main thread does is the server's. Tells their addresses. */
const openai = await startScriptedProvider();
openai.script(answers('scripted'));
const anthropic = await startScriptedAnthropic();
anthropic.script(says('scripted'));
parentPort?.postMessage({ openai: openai.url, anthropic: anthropic.url });
