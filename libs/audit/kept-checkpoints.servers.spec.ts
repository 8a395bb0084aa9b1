import {
  CreateBucketCommand,
  DeleteObjectCommand,
  PutObjectLockConfigurationCommand,
  S3Client,
  type PutObjectLockConfigurationCommandInput,
} from '@aws-sdk/client-s3';
import { randomUUID } from 'node:crypto';
import { openObjectStore } from '#ports/object-store/open.js';
import { parseS3Address } from '#ports/object-store/s3/index.js';
import { describeWithServer } from '#test/servers/describe.js';
import { signCheckpoint, signerOf } from './checkpoint.js';
import { openKeeper } from './kept-checkpoints.js';

const signer = signerOf('anneal/log', Buffer.alloc(32, 7));
const noteOf = (size: number) => signCheckpoint({ origin: 'anneal/log', size, root: Buffer.alloc(32, size) }, signer);
const { signal } = new AbortController();

describeWithServer('s3', ({ name, address }) => {
  it(`checkpoints in a bucket with object lock on ${name} stay, whoever has the credentials, and are kept again without an error`, async () => {
    const bucket = `kept-${randomUUID()}`;
    const url = new URL(address);
    url.host = bucket;
    const place = { kind: 's3', address: String(url) } as const;
    const { endpoint, region } = parseS3Address(place.address);
    const client = new S3Client({ endpoint: endpoint!, region: region!, forcePathStyle: true });
    const locked: PutObjectLockConfigurationCommandInput = {
      Bucket: bucket,
      // GOVERNANCE can be cleaned up after a test; COMPLIANCE by nobody.
      ObjectLockConfiguration: {
        ...{ ObjectLockEnabled: 'Enabled', Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 1 } } },
      },
    };
    await client.send(new CreateBucketCommand({ Bucket: bucket, ObjectLockEnabledForBucket: true }));
    await client.send(new PutObjectLockConfigurationCommand(locked));
    const keeper = await openKeeper(place, null);
    const objects = await openObjectStore(place);
    try {
      await keeper.keep(noteOf(3), null, signal);
      await keeper.keep(noteOf(5), Buffer.from('a stamp'), signal);
      // As after a restart without new events.
      await keeper.keep(noteOf(5), Buffer.from('a stamp'), signal);
      const keys = (await Array.fromAsync(objects.list('anneal/log/'))).map(({ key }) => key);
      expect(keys).toHaveLength(3);
      for (const key of keys) {
        await expect(objects.delete(key)).rejects.toThrow(/object lock|AccessDenied|Access Denied/i);
        await expect(objects.put(key, Buffer.from('another'), { sendChecksum: true })).rejects.toThrow();
      }
      const kept = await keeper.kept('anneal/log', signal);
      expect([kept.heads.map(({ size }) => size), kept.newest]).toEqual([[3, 5], noteOf(5)]);
      for (const key of keys)
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key, BypassGovernanceRetention: true }));
    } finally {
      client.destroy();
      await Promise.all([keeper.close(), objects.close()]);
    }
  });
});
