/** The build writes binary files beside the scripts; importing one gives its name. */
declare module "*.wasm" {
  const name: string;
  export default name;
}

/** The name of the script that decodes outside the page; the build puts it in. */
declare const DECODER_WORKER: string;
