// Makes the user whom ANNEAL_EVENT_STORE names, unless there is one, and lets that user read the log: `node deploy/make-event-store-user.mjs`.
// EVENTSTORE_ADMIN_PASSWORD is the administrator's. Writing streams of one's own needs no right.
import { EventStoreDBClient, NO_STREAM } from '@eventstore/db-client';

const [, user, password, place] = /^esdb:\/\/([^:]+):([^@]+)@(.+)$/.exec(process.env.ANNEAL_EVENT_STORE);
const admin = process.env.EVENTSTORE_ADMIN_PASSWORD;
const [host] = place.split(/[,/?]/);

const response = await fetch(`https://${host}/users/`, {
  method: 'POST',
  headers: {
    authorization: `Basic ${Buffer.from(`admin:${admin}`).toString('base64')}`,
    'content-type': 'application/json',
  },
  body: JSON.stringify({ loginName: user, fullName: user, groups: [], password: decodeURIComponent(password) }),
});
if (!response.ok && response.status !== 409)
  throw new Error(`no user ${user}: ${response.status} ${response.statusText}`);

const client = EventStoreDBClient.connectionString(`esdb://admin:${encodeURIComponent(admin)}@${place}`);
const { metadata, metastreamRevision } = await client.getStreamMetadata('$all');
const readers = [metadata?.acl?.readRoles ?? '$admins'].flat();
if (!readers.includes(user))
  await client.setStreamMetadata(
    '$all',
    { ...metadata, acl: { ...metadata?.acl, readRoles: [...readers, user] } },
    { expectedRevision: metastreamRevision ?? NO_STREAM },
  );
await client.dispose();
