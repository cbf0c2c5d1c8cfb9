(* Runs the extracted BASE (exact_base.ml) on streams from standard input, one line of numbers for each
   example: the counts that predict it (-1 -1 without a ball), then balls, steps and dimension after it.
   Input: the number of runs; for each: sites, length, C as numerator and denominator, a denominator,
   the matrix of numerators of the distances, and site and label of each example. *)
open Exact_base
let rec nat_of k = if k = 0 then O else S (nat_of (k - 1))
let rec int_of a = function O -> a | S n -> int_of (a + 1) n
let rec positive_of k =
  if k = 1 then XH else if k land 1 = 0 then XO (positive_of (k / 2)) else XI (positive_of (k / 2))
let q_of a b = { qnum = (if a = 0 then Z0 else Zpos (positive_of a)); qden = positive_of b }
let read () = Scanf.scanf " %d" (fun x -> x)
let show n = print_int (int_of 0 n)
let () =
  for _ = 1 to read () do
    let n = read () in
    let t = read () in
    let a = read () in
    let c = q_of a (read ()) in
    let unit = read () in
    let rows = List.init n (fun _ -> List.init n (fun _ -> q_of (read ()) unit)) in
    let stream = List.init t (fun _ -> let x = read () in (nat_of x, read () = 1)) in
    List.iter (fun (seen, ((balls, steps), dim)) ->
      (match seen with
       | None -> print_string "-1 -1"
       | Some (ones, zeros) -> show ones; print_char ' '; show zeros);
      List.iter (fun k -> print_char ' '; show k) [balls; steps; dim];
      print_newline ()) (run_sites rows c stream)
  done
