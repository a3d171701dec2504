/** The nonce that the content security policy of this page allows for style elements. */
export const nonce: string = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
