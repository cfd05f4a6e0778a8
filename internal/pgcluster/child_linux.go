package pgcluster

import "syscall"

// dieWithParent has the kernel signal the child when the thread that started it ends.
func dieWithParent(attr *syscall.SysProcAttr, sig syscall.Signal) { attr.Pdeathsig = sig }
