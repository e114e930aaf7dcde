#!/bin/sh
# What the objects of one instruction set must and must not contain.
#   test_kernel_objects.sh ISA OBJDUMP NM OBJECT...
# The compiler makes fused multiply-adds only with -ffp-contract=fast, and a call of libm would tie
# the bits of a run to the C library of the machine.
isa=$1 objdump=$2 nm=$3
shift 3
IFS=';'
set -- $*
unset IFS
failed=0

if [ "$isa" = avx2 ]; then
    for object; do
        case $object in
        */table.c.o | */pool.c.o) continue ;; # nothing to fuse
        esac
        count=$("$objdump" -d "$object" | grep -c 'vfn\{0,1\}m\(add\|sub\)')
        if [ "$count" -eq 0 ]; then
            echo "$object has no fused multiply-add"
            failed=1
        fi
    done
else
    for object; do
        if "$objdump" -d "$object" | grep -q '%ymm\|vfmadd'; then
            echo "$object has instructions beyond $isa"
            failed=1
        fi
    done
fi

for object; do
    calls=$("$nm" -u "$object" | grep -wE '(exp|expm1|exp2|log|log1p|tanh|sin|cos|sincos|sqrt|fma|pow|floor|round|rint|fabs|fmax|fmin)f?')
    if [ -n "$calls" ]; then
        echo "$object calls libm:$calls"
        failed=1
    fi
done
exit $failed
