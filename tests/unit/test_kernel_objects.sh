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

# Fused multiply-adds of whole vectors, where the instruction set has them.
case $isa:$("$objdump" -f "$1") in
avx512:*) fused='vfn\{0,1\}m\(add\|sub\)[0-9]*p' beyond='' ;;
avx2:*) fused='vfn\{0,1\}m\(add\|sub\)[0-9]*p' beyond='%zmm' ;;
portable:*aarch64*) fused='fml[as][[:space:]]*v' beyond='' ;;
*) fused='' beyond='%ymm\|vfmadd' ;;
esac

for object; do
    code=$("$objdump" -d "$object")
    case $object in
    */table.c.o | */pool.c.o | */dropout.c.o | */resize.c.o) ;; # nothing to fuse
    *)
        if [ -n "$fused" ] && ! printf '%s' "$code" | grep -q "$fused"; then
            echo "$object has no fused multiply-add"
            failed=1
        fi
        ;;
    esac
    if [ -n "$beyond" ] && printf '%s' "$code" | grep -q "$beyond"; then
        echo "$object has instructions beyond $isa"
        failed=1
    fi
    calls=$("$nm" -u "$object" | grep -wE '(exp|expm1|exp2|log|log1p|tanh|sin|cos|sincos|sqrt|fma|pow|floor|round|rint|fabs|fmax|fmin)f?')
    if [ -n "$calls" ]; then
        echo "$object calls libm:$calls"
        failed=1
    fi
done
exit $failed
