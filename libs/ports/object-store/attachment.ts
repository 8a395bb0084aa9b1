/** As an attachment of this name (RFC 6266, with the extended form of RFC 8187 for what is not plain). */
export function attachment(fileName: string): string {
  const plain = fileName.replaceAll(/[^A-Za-z0-9._ -]/g, '_');
  const extended = plain === fileName ? '' : `; filename*=UTF-8''${encodeURIComponent(fileName)}`;
  return `attachment; filename="${plain}"${extended}`;
}
