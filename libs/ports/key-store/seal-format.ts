/** Bytes of the nonce and of the tag of AES-256-GCM. What is sealed is the tag, then the ciphertext. */
export const NONCE = 12;
export const TAG = 16;
