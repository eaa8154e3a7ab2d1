;; One LilyPond that is started once and then forks for each score.
;;
;; Says "ready\n", and then for each score:
;; Request:  "<protocol> <bytes>\n" and that many bytes of LilyPond code.
;; Reply:    "<exit status> <bytes of log> <bytes of page> <1 if it is the only page> <files left>\n",
;;           log, first page.
;;
;; A score is processed in a child, in a folder of its own. Neither can outlive it: what the child
;; leaves behind is counted, and whoever reads the reply ends a server that is no longer clean.

(use-modules (ice-9 binary-ports) (ice-9 ftw) (ice-9 rdelim) (ice-9 regex) (rnrs bytevectors))

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
(define (forget)
  ((@@ (lily) session-terminate))
  (ly:reset-all-fonts))

(define (child protocol)
  (let ((nowhere (open-fdes "/dev/null" O_RDONLY))
        (log (open-fdes "log" (logior O_CREAT O_WRONLY O_APPEND))))
    (dup2 nowhere 0)
    (dup2 log 1)
    (dup2 log 2))
  ;; To collect garbage is to touch, and so to copy, all memory shared with the server. Most
  ;; scores are done before they need it.
  (gc-disable)
  (sigaction SIGALRM (lambda (signal) (gc-enable)))
  (alarm 2)
  (set! *random-state* (seed->random-state 1))
  (let ((converted (or (up-to-date? "score.ly")
                       (zero? (system* "convert-ly" "--edit" "score.ly")))))
    (cond ((string=? protocol "corrected")
           (ly:set-option 'include-settings (string-append etc "/corrected.ly")))
          ((not converted)
           (primitive-_exit 3))))
  (process "score.ly")
  (primitive-_exit 0))

(define (serve protocol size)
  (mkdir "job")
  (chdir "job")
  (call-with-output-file "score.ly"
    (lambda (port) (put-bytevector port (get-bytevector-n requests size)))
    #:binary #t)
  (let* ((pid (primitive-fork))
         (status (if (zero? pid) (child protocol) (cdr (waitpid pid))))
         (log (bytes-of "log"))
         (single (file-exists? "score.png"))
         (page (bytes-of (if single "score.png" "score-page1.png"))))
    (chdir "..")
    (system* "rm" "-rf" "job")
    (format replies "~a ~a ~a ~a ~a\n"
            (or (status:exit-val status) (- (status:term-sig status)))
            (bytevector-length log) (bytevector-length page) (if single 1 0)
            (length (entries ".")))
    (put-bytevector replies log)
    (put-bytevector replies page)
    (force-output replies)))

(ly:reset-all-fonts)
(ly:parse-init "declarations-init.ly")
(process (string-append etc "/warm.ly"))
(forget)
(system* "sh" "-c" "rm -rf * .[!.]*")

(display "ready\n" replies)
(force-output replies)
(let loop ((line (read-line requests)))
  (if (not (eof-object? line))
      (let ((words (string-split line #\space)))
        (serve (car words) (string->number (cadr words)))
        (loop (read-line requests)))))
(primitive-_exit 0)
