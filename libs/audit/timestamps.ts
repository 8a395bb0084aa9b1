import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { OctetString, Integer } from 'asn1js';
import {
  AlgorithmIdentifier,
  Certificate,
  ExtKeyUsage,
  MessageImprint,
  PKIStatus,
  SignedData,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs';
import type { Egress } from '#primitives/egress/index.js';
import { NoteError } from './checkpoint.js';
import { bytesOf } from './response-text.js';

/** A time stamp of a signed note (RFC 3161). */
export interface Timestamp {
  /** When the authority had it. */
  readonly time: Date;
  /** Subject of the certificate that signed it, in one line. */
  readonly by: string;
  /** Whether that certificate leads to one of those given, and was valid then. */
  readonly isTrusted: boolean;
}

const SHA256 = '2.16.840.1.101.3.4.2.1';
const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';

/**
 * Asks an authority for a time stamp of a note.
 * @returns its whole answer (TimeStampResp, DER), as `openssl ts -verify -in` reads it
 * @throws NoteError when it answers anything but a time stamp of this note, EgressFailedError
 */
export async function requestTimestamp(
  egress: Pick<Egress, 'fetch'>,
  url: string,
  note: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const nonce = randomBytes(8);
  // A positive number without leading zeros.
  nonce[0] = (nonce[0]! & 0x7f) | 0x40;
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: SHA256 }),
      hashedMessage: new OctetString({ valueHex: exact(digestOf(note)) }),
    }),
    nonce: new Integer({ valueHex: exact(nonce) }),
    certReq: true,
  });
  const response = await egress.fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/timestamp-query', 'user-agent': 'anneal-audit' },
    body: Buffer.from(request.toSchema().toBER()),
    signal,
  });
  const answer = await bytesOf(response);
  if (response.status !== 200) throw new NoteError(`it answered ${response.status}`);
  const { info } = opened(answer);
  if (info.nonce === undefined || !Buffer.from(info.nonce.valueBlock.valueHexView).equals(nonce))
    throw new NoteError('it answered with a time stamp of another request');
  await verifyTimestamp(answer, note, []);
  return answer;
}

/**
 * @param answer a TimeStampResp
 * @param trusted PEM certificates of authorities
 * @throws NoteError unless it is a time stamp of this note, signed by the certificate for time stamps that it holds
 */
export async function verifyTimestamp(
  answer: Uint8Array,
  note: string,
  trusted: readonly string[],
): Promise<Timestamp> {
  const { signed, info } = opened(answer);
  const { messageImprint, genTime: time } = info;
  const imprint = Buffer.from(messageImprint.hashedMessage.valueBlock.valueHexView);
  if (messageImprint.hashAlgorithm.algorithmId !== SHA256 || !imprint.equals(digestOf(note)))
    throw new NoteError('the time stamp is of another checkpoint');
  const verified = async (chain: { readonly checkChain: boolean; readonly trustedCerts: Certificate[] }) => {
    try {
      const options = { signer: 0, data: exact(Buffer.from(note)), checkDate: time, extendedMode: true, ...chain };
      return await signed.verify({ ...options, extendedMode: true });
    } catch {
      return null;
    }
  };
  const signature = await verified({ checkChain: false, trustedCerts: [] });
  const signer = signature?.signerCertificate;
  if (signature?.signatureVerified !== true || !signer)
    throw new NoteError('the signature of the time stamp does not fit');
  if (!isForTimeStamps(signer))
    throw new NoteError('the time stamp is signed by a certificate that is not for time stamps');
  const trustedCerts = trusted.map((pem) => Certificate.fromBER(exact(new X509Certificate(pem).raw)));
  const isTrusted =
    trusted.length > 0 && (await verified({ checkChain: true, trustedCerts }))?.signatureVerified === true;
  const { subject } = new X509Certificate(Buffer.from(signer.toSchema().toBER()));
  return { time, by: subject.replaceAll('\n', ', '), isTrusted };
}

/** The certificates of a PEM file. @throws RangeError if there is none, or one cannot be read */
export function certificatesOf(pem: string): readonly string[] {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (found.length === 0) throw new RangeError('it holds no certificate in PEM');
  for (const each of found)
    if (!isCertificate(each)) throw new RangeError('it holds a certificate that cannot be read');
  return found;
}

function isCertificate(pem: string): boolean {
  try {
    return Boolean(new X509Certificate(pem));
  } catch {
    return false;
  }
}

/** @throws NoteError */
function opened(answer: Uint8Array): { readonly signed: SignedData; readonly info: TSTInfo } {
  try {
    const { status, timeStampToken } = TimeStampResp.fromBER(exact(answer));
    if (status.status !== PKIStatus.granted && status.status !== PKIStatus.grantedWithMods) throw new Error('refused');
    const signed = new SignedData({ schema: timeStampToken!.content as unknown });
    const { eContentType, eContent } = signed.encapContentInfo;
    if (eContentType !== TST_INFO) throw new Error('no time stamp');
    return { signed, info: TSTInfo.fromBER(eContent!.getValue()) };
  } catch {
    throw new NoteError('its answer is no time stamp');
  }
}

const isForTimeStamps = ({ extensions = [] }: Certificate): boolean =>
  extensions.some(
    ({ extnID, parsedValue }) =>
      extnID === EXTENDED_KEY_USAGE &&
      parsedValue instanceof ExtKeyUsage &&
      parsedValue.keyPurposes.includes(TIME_STAMPING),
  );

const digestOf = (note: string): Buffer => createHash('sha256').update(note).digest();

/** The bytes in a buffer of their own, as the library takes them. */
const exact = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
