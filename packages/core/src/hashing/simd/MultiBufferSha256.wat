;; SHA-256 (FIPS 180-4) of four messages at once. A vector holds the same 32-bit word of each of them, one
;; message to a lane, so each instruction does for four messages what the standard does for one.
;;
;; `npm run generate:wasm` makes MultiBufferSha256Module.ts from this file.

(module
  ;; 64 KiB. The globals say what lies where in it; the caller writes the first three.
  (memory (export "memory") 1)

  ;; The 64 constants K of section 4.2.2: a word each.
  (global $constants (export "constants") i32 (i32.const 0))
  ;; The initial hash value of section 5.3.3: eight vectors.
  (global $initial (export "initial") i32 (i32.const 256))
  ;; How many blocks each of four messages has: a vector. Only `messages` reads it.
  (global $lengths (export "lengths") i32 (i32.const 384))
  ;; The hash value H(i) so far: eight vectors.
  (global $state i32 (i32.const 400))
  ;; The message schedule W of section 6.2.2: 64 vectors, of which the first 16 are the block itself.
  (global $schedule i32 (i32.const 528))
  ;; All ones for the messages that have a block at hand, zeros for those that have ended: a vector.
  (global $taking_part i32 (i32.const 1552))
  ;; The messages, with at least a byte before and a vector behind them, which are read too.
  (global $input (export "input") i32 (i32.const 1584))
  ;; The most bytes of a message of `messages`, with its padding: from one message to the next.
  (global $slot (export "slot") i32 (i32.const 8192))
  ;; The hashes: 32 bytes each.
  (global $output (export "output") i32 (i32.const 34368))

  ;; Section 6.2.2: computes the next hash value of the block that lies in the first 16 vectors of the
  ;; schedule, for the messages that take part.
  (func $compress
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local $e v128) (local $f v128) (local $g v128) (local $h v128)
    (local $t1 v128) (local $t2 v128)
    ;; Where the round's word W(t) and its constant K(t) are.
    (local $w i32) (local $k i32)

    ;; Step 1: for t from 16 to 63, W(t) = σ1(W(t-2)) + W(t-7) + σ0(W(t-15)) + W(t-16).
    ;; Here $w is where W(t-16) is; $t1 is W(t-15), $t2 is W(t-2).
    (local.set $w (global.get $schedule))
    (loop $next_word
      (local.set $t1 (v128.load offset=16 (local.get $w)))
      (local.set $t2 (v128.load offset=224 (local.get $w)))
      (v128.store offset=256 (local.get $w)
        (i32x4.add
          (i32x4.add (v128.load (local.get $w)) (v128.load offset=144 (local.get $w)))
          (i32x4.add
            ;; σ0(x) = ROTR 7 (x) xor ROTR 18 (x) xor SHR 3 (x)
            (v128.xor
              (v128.xor
                (v128.or (i32x4.shr_u (local.get $t1) (i32.const 7))
                         (i32x4.shl (local.get $t1) (i32.const 25)))
                (v128.or (i32x4.shr_u (local.get $t1) (i32.const 18))
                         (i32x4.shl (local.get $t1) (i32.const 14))))
              (i32x4.shr_u (local.get $t1) (i32.const 3)))
            ;; σ1(x) = ROTR 17 (x) xor ROTR 19 (x) xor SHR 10 (x)
            (v128.xor
              (v128.xor
                (v128.or (i32x4.shr_u (local.get $t2) (i32.const 17))
                         (i32x4.shl (local.get $t2) (i32.const 15)))
                (v128.or (i32x4.shr_u (local.get $t2) (i32.const 19))
                         (i32x4.shl (local.get $t2) (i32.const 13))))
              (i32x4.shr_u (local.get $t2) (i32.const 10))))))
      (local.set $w (i32.add (local.get $w) (i32.const 16)))
      (br_if $next_word
        (i32.lt_u (local.get $w) (i32.add (global.get $schedule) (i32.const 768)))))

    ;; Step 2: the working variables are the hash value so far.
    (local.set $a (v128.load (global.get $state)))
    (local.set $b (v128.load offset=16 (global.get $state)))
    (local.set $c (v128.load offset=32 (global.get $state)))
    (local.set $d (v128.load offset=48 (global.get $state)))
    (local.set $e (v128.load offset=64 (global.get $state)))
    (local.set $f (v128.load offset=80 (global.get $state)))
    (local.set $g (v128.load offset=96 (global.get $state)))
    (local.set $h (v128.load offset=112 (global.get $state)))

    ;; Step 3: 64 rounds.
    (local.set $w (global.get $schedule))
    (local.set $k (global.get $constants))
    (loop $round
      ;; T1 = h + Σ1(e) + Ch(e, f, g) + K(t) + W(t)
      (local.set $t1
        (i32x4.add
          (i32x4.add
            (local.get $h)
            (i32x4.add (v128.load32_splat (local.get $k)) (v128.load (local.get $w))))
          (i32x4.add
            ;; Ch(e, f, g): the bits of f where e has ones, those of g where it has zeros
            (v128.bitselect (local.get $f) (local.get $g) (local.get $e))
            ;; Σ1(e) = ROTR 6 (e) xor ROTR 11 (e) xor ROTR 25 (e)
            (v128.xor
              (v128.xor
                (v128.or (i32x4.shr_u (local.get $e) (i32.const 6))
                         (i32x4.shl (local.get $e) (i32.const 26)))
                (v128.or (i32x4.shr_u (local.get $e) (i32.const 11))
                         (i32x4.shl (local.get $e) (i32.const 21))))
              (v128.or (i32x4.shr_u (local.get $e) (i32.const 25))
                       (i32x4.shl (local.get $e) (i32.const 7)))))))
      ;; T2 = Σ0(a) + Maj(a, b, c)
      (local.set $t2
        (i32x4.add
          ;; Maj(a, b, c): the bits of c where a and b differ, those of a where they agree
          (v128.bitselect (local.get $c) (local.get $a) (v128.xor (local.get $a) (local.get $b)))
          ;; Σ0(a) = ROTR 2 (a) xor ROTR 13 (a) xor ROTR 22 (a)
          (v128.xor
            (v128.xor
              (v128.or (i32x4.shr_u (local.get $a) (i32.const 2))
                       (i32x4.shl (local.get $a) (i32.const 30)))
              (v128.or (i32x4.shr_u (local.get $a) (i32.const 13))
                       (i32x4.shl (local.get $a) (i32.const 19))))
            (v128.or (i32x4.shr_u (local.get $a) (i32.const 22))
                     (i32x4.shl (local.get $a) (i32.const 10))))))
      (local.set $h (local.get $g))
      (local.set $g (local.get $f))
      (local.set $f (local.get $e))
      (local.set $e (i32x4.add (local.get $d) (local.get $t1)))
      (local.set $d (local.get $c))
      (local.set $c (local.get $b))
      (local.set $b (local.get $a))
      (local.set $a (i32x4.add (local.get $t1) (local.get $t2)))
      (local.set $w (i32.add (local.get $w) (i32.const 16)))
      (local.set $k (i32.add (local.get $k) (i32.const 4)))
      (br_if $round
        (i32.lt_u (local.get $k) (i32.add (global.get $constants) (i32.const 256)))))

    ;; Step 4: the next hash value.
    (call $add_to_state (i32.const 0) (local.get $a))
    (call $add_to_state (i32.const 16) (local.get $b))
    (call $add_to_state (i32.const 32) (local.get $c))
    (call $add_to_state (i32.const 48) (local.get $d))
    (call $add_to_state (i32.const 64) (local.get $e))
    (call $add_to_state (i32.const 80) (local.get $f))
    (call $add_to_state (i32.const 96) (local.get $g))
    (call $add_to_state (i32.const 112) (local.get $h)))

  ;; Adds a working variable to its word of the hash value, for the messages that take part.
  (func $add_to_state (param $offset i32) (param $variable v128)
    (local $word i32)
    (local.set $word (i32.add (global.get $state) (local.get $offset)))
    (v128.store (local.get $word)
      (i32x4.add
        (v128.load (local.get $word))
        (v128.and (local.get $variable) (v128.load (global.get $taking_part))))))

  ;; Begins four messages: the hash value is the initial one.
  (func $begin
    (local $offset i32)
    (loop $next
      (v128.store
        (i32.add (global.get $state) (local.get $offset))
        (v128.load (i32.add (global.get $initial) (local.get $offset))))
      (local.set $offset (i32.add (local.get $offset) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $offset) (i32.const 128)))))

  ;; Takes four words of each of four places, $from_step bytes apart, and writes them as four vectors, each of
  ;; one word of the four places, $to_step bytes apart. The other way round is the same. On the way the bytes
  ;; of each word are reversed: SHA-256 has the highest first, WebAssembly the lowest.
  (func $transpose (param $from i32) (param $from_step i32) (param $to i32) (param $to_step i32)
    (local $row0 v128) (local $row1 v128) (local $row2 v128) (local $row3 v128)
    (local $low01 v128) (local $low23 v128) (local $high01 v128) (local $high23 v128)
    (local.set $row0 (v128.load (local.get $from)))
    (local.set $from (i32.add (local.get $from) (local.get $from_step)))
    (local.set $row1 (v128.load (local.get $from)))
    (local.set $from (i32.add (local.get $from) (local.get $from_step)))
    (local.set $row2 (v128.load (local.get $from)))
    (local.set $from (i32.add (local.get $from) (local.get $from_step)))
    (local.set $row3 (v128.load (local.get $from)))
    ;; Words 0 and 1 of two rows, in turns; then words 2 and 3.
    (local.set $low01
      (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $row0) (local.get $row1)))
    (local.set $low23
      (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $row2) (local.get $row3)))
    (local.set $high01
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $row0) (local.get $row1)))
    (local.set $high23
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $row2) (local.get $row3)))
    ;; The first halves of two such, then the second halves, each word with its bytes reversed.
    (v128.store (local.get $to)
      (i8x16.shuffle 3 2 1 0 7 6 5 4 19 18 17 16 23 22 21 20 (local.get $low01) (local.get $low23)))
    (local.set $to (i32.add (local.get $to) (local.get $to_step)))
    (v128.store (local.get $to)
      (i8x16.shuffle 11 10 9 8 15 14 13 12 27 26 25 24 31 30 29 28 (local.get $low01) (local.get $low23)))
    (local.set $to (i32.add (local.get $to) (local.get $to_step)))
    (v128.store (local.get $to)
      (i8x16.shuffle 3 2 1 0 7 6 5 4 19 18 17 16 23 22 21 20 (local.get $high01) (local.get $high23)))
    (local.set $to (i32.add (local.get $to) (local.get $to_step)))
    (v128.store (local.get $to)
      (i8x16.shuffle 11 10 9 8 15 14 13 12 27 26 25 24 31 30 29 28 (local.get $high01) (local.get $high23))))

  ;; Reads four words of each of four messages, $apart bytes apart, as words $t to $t + 3 of the block.
  (func $read (param $from i32) (param $apart i32) (param $t i32)
    (call $transpose
      (local.get $from)
      (local.get $apart)
      (i32.add (global.get $schedule) (i32.shl (local.get $t) (i32.const 4)))
      (i32.const 16)))

  ;; Writes the four hashes, one after the other.
  (func $write (param $to i32)
    (call $transpose (global.get $state) (i32.const 16) (local.get $to) (i32.const 32))
    (call $transpose
      (i32.add (global.get $state) (i32.const 64))
      (i32.const 16)
      (i32.add (local.get $to) (i32.const 16))
      (i32.const 32)))

  ;; Of word $t of the block, in all four messages, keeps the bits $kept and sets the bits $bits.
  (func $mask (param $t i32) (param $kept i32) (param $bits i32)
    (local $word i32)
    (local.set $word (i32.add (global.get $schedule) (i32.shl (local.get $t) (i32.const 4))))
    (v128.store (local.get $word)
      (v128.or
        (v128.and (v128.load (local.get $word)) (i32x4.splat (local.get $kept)))
        (i32x4.splat (local.get $bits)))))

  ;; Pads messages that end after the first byte of word $t (section 5.1.1): a one bit, zeros, and in the last
  ;; word of the block the length in bits.
  (func $pad (param $t i32) (param $bits i32)
    (call $mask (local.get $t) (i32.const 0xff000000) (i32.const 0x00800000))
    (loop $next
      (local.set $t (i32.add (local.get $t) (i32.const 1)))
      (call $mask (local.get $t) (i32.const 0) (i32.const 0))
      (br_if $next (i32.lt_u (local.get $t) (i32.const 14))))
    (call $mask (i32.const 15) (i32.const 0) (local.get $bits)))

  ;; Hashes $groups times four Merkle leaves: a byte 0x00 before 32 bytes, which is a block. Reading begins a
  ;; byte early, to leave room for the first byte.
  (func (export "leaves") (param $groups i32)
    (local $from i32) (local $to i32)
    (v128.store (global.get $taking_part) (i32x4.splat (i32.const -1)))
    (local.set $from (i32.sub (global.get $input) (i32.const 1)))
    (local.set $to (global.get $output))
    (loop $group
      (call $begin)
      (call $read (local.get $from) (i32.const 32) (i32.const 0))
      (call $read (i32.add (local.get $from) (i32.const 16)) (i32.const 32) (i32.const 4))
      (call $read (i32.add (local.get $from) (i32.const 32)) (i32.const 32) (i32.const 8))
      (call $mask (i32.const 0) (i32.const 0x00ffffff) (i32.const 0x00000000))
      (call $pad (i32.const 8) (i32.const 264))
      (call $compress)
      (call $write (local.get $to))
      (local.set $from (i32.add (local.get $from) (i32.const 128)))
      (local.set $to (i32.add (local.get $to) (i32.const 128)))
      (local.set $groups (i32.sub (local.get $groups) (i32.const 1)))
      (br_if $group (local.get $groups))))

  ;; Hashes $groups times four inner nodes of a Merkle tree: a byte 0x01 before 64 bytes, which is two blocks.
  (func (export "nodes") (param $groups i32)
    (local $from i32) (local $to i32)
    (v128.store (global.get $taking_part) (i32x4.splat (i32.const -1)))
    (local.set $from (i32.sub (global.get $input) (i32.const 1)))
    (local.set $to (global.get $output))
    (loop $group
      (call $begin)
      (call $read (local.get $from) (i32.const 64) (i32.const 0))
      (call $read (i32.add (local.get $from) (i32.const 16)) (i32.const 64) (i32.const 4))
      (call $read (i32.add (local.get $from) (i32.const 32)) (i32.const 64) (i32.const 8))
      (call $read (i32.add (local.get $from) (i32.const 48)) (i32.const 64) (i32.const 12))
      (call $mask (i32.const 0) (i32.const 0x00ffffff) (i32.const 0x01000000))
      (call $compress)
      (call $read (i32.add (local.get $from) (i32.const 64)) (i32.const 64) (i32.const 0))
      (call $pad (i32.const 0) (i32.const 520))
      (call $compress)
      (call $write (local.get $to))
      (local.set $from (i32.add (local.get $from) (i32.const 256)))
      (local.set $to (i32.add (local.get $to) (i32.const 128)))
      (local.set $groups (i32.sub (local.get $groups) (i32.const 1)))
      (br_if $group (local.get $groups))))

  ;; Hashes four padded messages, a slot each, of which the longest has $blocks blocks.
  (func (export "messages") (param $blocks i32)
    (local $from i32) (local $block i32)
    (call $begin)
    (local.set $from (global.get $input))
    (loop $next
      (v128.store (global.get $taking_part)
        (i32x4.gt_s (v128.load (global.get $lengths)) (i32x4.splat (local.get $block))))
      (call $read (local.get $from) (global.get $slot) (i32.const 0))
      (call $read (i32.add (local.get $from) (i32.const 16)) (global.get $slot) (i32.const 4))
      (call $read (i32.add (local.get $from) (i32.const 32)) (global.get $slot) (i32.const 8))
      (call $read (i32.add (local.get $from) (i32.const 48)) (global.get $slot) (i32.const 12))
      (call $compress)
      (local.set $from (i32.add (local.get $from) (i32.const 64)))
      (local.set $block (i32.add (local.get $block) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $block) (local.get $blocks))))
    (call $write (global.get $output)))
)
