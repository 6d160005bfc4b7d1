// --- hashed names -------------------------------------------------------------------------------

// MurmurHash3_x86_32 with seed 0 of bytes, signed.
function murmur3(bytes, begin = 0, end = bytes.length) {
  let h = 0, i = begin;
  const scramble = k => {
    k = Math.imul(k, 0xcc9e2d51);
    return Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  };
  for (; i + 4 <= end; i += 4) {
    h ^= scramble(bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24));
    h = (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
  }
  let rest = 0;
  for (let shift = 0; i < end; ++i, shift += 8) rest |= bytes[i] << shift;
  h ^= scramble(rest) ^ (end - begin);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

// The column of a hash, below 2^bits.
const columnOf = (hash, bits) => Math.abs(hash) & (2 ** bits - 1);
