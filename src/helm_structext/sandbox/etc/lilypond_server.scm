;; One LilyPond that is started once and then forks for each score.
;;
;; The protocol is that of `fork_server.py`. A score has its code in the file `score.ly`, and the name
;; of the protocol by which it is rendered in the file `protocol`. It makes a `log`, and `score.png`
;; or, if there are more pages than one, `score-page1.png`, of which the first counts. Where there is a
;; file `wanted`, it also makes a `layout`: what LilyPond draws on that page (`tell-layout`).

(use-modules (ice-9 binary-ports) (ice-9 ftw) (ice-9 rdelim) (ice-9 regex) (rnrs bytevectors) (srfi srfi-1)
             ((system foreign) #:prefix c:))

(define requests (current-input-port))
(define replies (current-output-port))
(set-port-encoding! requests "ISO-8859-1")
(set-port-encoding! replies "ISO-8859-1")

;; Time stands still, and chance repeats itself.
(define etc (getenv "ETC"))
(define now (string->number (getenv "SOURCE_DATE_EPOCH")))
(module-set! the-root-module 'current-time (lambda () now))
(module-set! the-root-module 'gettimeofday (lambda () (cons now 0)))

(define (bytes-of file)
  (if (and (file-exists? file) (eq? 'regular (stat:type (lstat file))))
      (call-with-input-file file
        (lambda (port)
          (let ((bytes (get-bytevector-all port)))
            (if (eof-object? bytes) (make-bytevector 0) bytes)))
        #:binary #t)
      (make-bytevector 0)))

(define (entries folder)
  (or (scandir folder (lambda (name) (not (member name '("." "..")))))
      '("a folder that can't be read")))

(define (process file)
  (catch 'ly-file-failed
    (lambda () (ly:parse-file file))
    (const #f)))

;; Whether convert-ly would leave a file as it is: it has no rules within a stable series.
(define (up-to-date? file)
  (let* ((code (call-with-input-file file read-string #:encoding "ISO-8859-1"))
         (found (string-match "\\\\version *\"([0-9]+)\\.([0-9]+)\\.[0-9]+\"" code)))
    (and found
         (even? (cadr (ly:version)))
         (not (string-index code #\return))
         (equal? (list-head (ly:version) 2)
                 (map (lambda (n) (string->number (match:substring found n))) '(1 2))))))

;; What LilyPond itself does between two files of one command line.
(define (reset-session)
  ((@@ (lily) session-terminate))
  (ly:reset-all-fonts))

;; A system call, or a function of the C library, that takes numbers and pointers.
(define (foreign name . types)
  (c:pointer->procedure c:long (dynamic-func name (dynamic-link)) types))

;; Orphans become the server's children.
(define (become-subreaper)
  ((foreign "prctl" c:long c:long c:long c:long c:long) 36 1 0 0 0))
(define (processes-left?)
  (catch 'system-error
    (lambda () (or (zero? (car (waitpid WAIT_ANY WNOHANG))) (processes-left?)))
    (const #f)))

;; Landlock holds signals back at the border of a domain, in kernels that know it (ABI 6).
(define (leave-signal-domain)
  (let* ((call (foreign "syscall" c:long '* c:long c:long))
         (restrict (foreign "syscall" c:long c:long c:long))
         (attributes (uint-list->bytevector '(0 0 2) (native-endianness) 8))
         (ruleset (call 444 (c:bytevector->pointer attributes) 24 0)))
    (if (>= ruleset 0)
        (begin (restrict 446 ruleset 0)
               (close-fdes ruleset)))))

;; What is open beside the three, such as the pipes by which Guile wakes its threads.
(define (kind-of descriptor)
  (false-if-exception (stat descriptor)))
(define descriptors (filter kind-of (list-tail (iota 128) 3)))

;; Nothing that a score writes or reads is the server's: pipes of its own are in their places.
(define (leave-descriptors nowhere)
  (let loop ((rest descriptors) (pipes '()))
    (if (pair? rest)
        (let* ((number (car rest))
               (kind (kind-of number))
               (pipes (if (or (not kind) (assv (stat:ino kind) pipes))
                          pipes
                          (acons (stat:ino kind) (pipe) pipes))))
          (if (and kind (eq? 'fifo (stat:type kind)))
              (let* ((end (if (zero? (logand 3 (fcntl number F_GETFL))) cadr cddr))
                     (own (end (assv (stat:ino kind) pipes))))
                (dup2 (fileno own) number)
                (fcntl number F_SETFD FD_CLOEXEC))
              (dup2 nowhere number))
          (loop (cdr rest) pipes))
        (for-each (lambda (ends) (close (cadr ends)) (close (cddr ends))) pipes))))

;; What ends a program that a score needs ends the score, too: it would seem to make no page by itself.
(define (or-killed status)
  (if (status:term-sig status) (kill (getpid) SIGKILL))
  status)
(let ((spawn ly:spawn))
  (module-set! (resolve-module '(lily)) 'ly:spawn (lambda command (or-killed (apply spawn command)))))

;; What tells what is on the first page: a line of JSON for each step of its drawing, a list of its name
;; and numbers, in LilyPond's units from the page's upper left corner. The first line has the resolution,
;; the unit in millimeters, and the page's width and height.
(define (number x)
  (let ((x (if (real? x) (exact->inexact x) 0.0)))
    (if (or (nan? x) (inf? x)) "0" (number->string x))))
(define (step name . values)
  (format #f "[\"~a\"~a]\n" name (string-concatenate (map (lambda (x) (string-append ", " x)) values))))
(define (numbers name)
  (lambda values (apply step name (map number values))))
(define (codes text)
  (string-append "[" (string-join (map (lambda (c) (number->string (char->integer c))) (string->list text)) ",") "]"))
(define (tell-text pango font size cid? glyphs file index text clusters)
  (define (total combine get) (number (fold combine 0 (map get glyphs))))
  (step "text" (codes text) (number size) (total + car) (total min caadr) (total max cdadr)))
(define steps
  `((settranslation . ,(numbers "move"))
    (setcolor . ,(numbers "color"))
    (setrotation . ,(numbers "rotate"))
    (setscale . ,(numbers "scale"))
    (resetcolor . ,(lambda ignored (step "reset")))
    (resetrotation . ,(lambda ignored (step "reset")))
    (resetscale . ,(lambda ignored (step "reset")))
    (draw-line . ,(numbers "line"))
    (round-filled-box . ,(numbers "box"))
    (polygon . ,(lambda (points blot filled?) (apply step "polygon" (map number points))))
    (glyph-string . ,tell-text)))
(define (tell-layout paper page)
  (let* ((port (open-file (string-append folder "/layout") "w"))
         (outputter (ly:make-paper-outputter port steps))
         (sides (map (lambda (name) (ly:output-def-lookup paper name))
                     '(output-scale paper-width paper-height))))
    (display (apply step "page" (map number (cons (ly:get-option 'resolution) sides))) port)
    (ly:outputter-dump-stencil outputter page)
    (ly:outputter-close outputter)))
(define (watch-pages)
  (let* ((framework (resolve-module '(lily framework-ps)))
         (output (module-ref framework 'output-stencils)))
    (module-set! framework 'output-stencils
      (lambda (name pages header paper formats)
        (output name pages header paper formats)
        (if (equal? name "score")
            (catch #t (lambda () (tell-layout paper (car pages))) (const #f)))))))

(define (child)
  (setsid)
  (let ((nowhere (open-fdes "/dev/null" O_RDONLY))
        (log (open-fdes "log" (logior O_CREAT O_WRONLY O_APPEND))))
    (dup2 nowhere 0)
    (dup2 log 1)
    (dup2 log 2)
    (leave-descriptors nowhere))
  (leave-signal-domain)
  ;; To collect garbage is to touch, and so to copy, all memory shared with the server. Most
  ;; scores are done before they need it.
  (gc-disable)
  (sigaction SIGALRM (lambda (signal) (gc-enable)))
  (alarm 2)
  (set! *random-state* (seed->random-state 1))
  ;; Pango (1.56, not 1.50) gives each map of fonts a thread that asks fontconfig. A fork has none of
  ;; the server's threads: with the server's map, a score would wait for ever.
  (ly:reset-all-fonts)
  (let ((converted (or (up-to-date? "score.ly")
                       (zero? (or-killed (system* "convert-ly" "--edit" "score.ly"))))))
    (cond ((equal? (bytes-of "protocol") (string->utf8 "corrected"))
           (ly:set-option 'include-settings (string-append etc "/corrected.ly")))
          ((not converted)
           (primitive-_exit 3))))
  (if (file-exists? "wanted") (catch #t watch-pages (const #f)))
  (process "score.ly")
  (primitive-_exit 0))

;; A score may move its folder: what ".." is, is then up to the score.
(define scratch (getcwd))
(define folder (string-append scratch "/job"))

;; Files that a score makes.
(define made '("log" "score.png" "score-page1.png" "layout"))

;; Of a request's words, a name and a size, and so on.
(define (receive words)
  (if (pair? words)
      (let ((size (string->number (cadr words))))
        (call-with-output-file (car words)
          (lambda (port) (if (> size 0) (put-bytevector port (get-bytevector-n requests size))))
          #:binary #t)
        (receive (cddr words)))))

(define (serve words)
  (mkdir folder)
  (chdir folder)
  (receive words)
  (let* ((pid (primitive-fork))
         (status (if (zero? pid) (child) (cdr (waitpid pid))))
         (contents (map bytes-of made)))
    (chdir scratch)
    (system* "rm" "-rf" folder)
    (format replies "{\"status\": ~a, \"left\": ~a, \"files\": {~a}}\n"
            (or (status:exit-val status) (- (status:term-sig status)))
            (+ (length (entries scratch)) (if (processes-left?) 1 0))
            (string-join
             (map (lambda (name bytes) (format #f "\"~a\": ~a" name (bytevector-length bytes)))
                  made contents)
             ", "))
    (for-each (lambda (bytes) (put-bytevector replies bytes)) contents)
    (force-output replies)))

(ly:reset-all-fonts)
(ly:parse-init "declarations-init.ly")
(process (string-append etc "/warm.ly"))
(reset-session)
(system* "sh" "-c" "rm -rf * .[!.]*")
(become-subreaper)

(display "ready\n" replies)
(force-output replies)
(let loop ((line (read-line requests)))
  (if (not (eof-object? line))
      (begin
        (serve (string-split line #\space))
        (loop (read-line requests)))))
(primitive-_exit 0)
