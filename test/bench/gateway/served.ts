import { startTestApi } from '#test/support/api.js';
import { hostedSettings } from '#test/support/hosted-settings.js';

/**
 * The whole system in one process, with one provider, at full durability: API, log, projections and all. It says where it listens,
 * and a key of each of several users, since what one may ask in a minute is limited.
 */
const [upstream, users] = process.argv.slice(2);
const hosted = await hostedSettings(`${upstream}/v1`);
const api = await startTestApi({ ...hosted.values, durability: 'full', logLevel: 'error' });
const keys = [];
for (let user = 0; user < Number(users); user += 1) keys.push((await api.colleague()).key);
console.log(JSON.stringify({ url: api.url, keys }));
process.once('SIGTERM', () => {
  void api
    .close()
    .then(() => hosted.remove())
    .then(() => process.exit(0));
});
