// Makes the bucket that ANNEAL_OBJECT_STORE names, where it is missing: `node deploy/make-bucket.mjs`.
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';

const address = new URL(process.env.ANNEAL_OBJECT_STORE);
const endpoint = address.searchParams.get('endpoint');
const client = new S3Client({
  ...(endpoint && { endpoint, forcePathStyle: true }),
  region: address.searchParams.get('region') ?? 'us-east-1',
});
try {
  await client.send(new CreateBucketCommand({ Bucket: address.hostname }));
} catch (error) {
  if (error.name !== 'BucketAlreadyOwnedByYou') throw error;
}
