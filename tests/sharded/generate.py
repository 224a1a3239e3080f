#!/usr/bin/env python3
"""The sharded programs of this folder: JAX writes them out, and XLA partitions each for the devices to compare with.

    tests/sharded/generate.py HLOIR [--run] [--keep=DIR] [NAME…]

writes NAME.hlo, as JAX hands it to XLA, and in xla.json the bytes that all devices send in the program that XLA compiles for the
CPU (compiled.as_text()), counted by `hloir cost`. unit.sharded_programs partitions each with our passes, compares what they
compute, and these bytes. With --run it writes nothing: XLA compiles and runs what our passes make of each file, and the results are compared with those
of XLA's own partitioner (but for partial sums, of which devices may have others). With --keep it writes the form that XLA's
partitioner gives each program to DIR/NAME.hlo, and nothing else; with --metadata=DIR each program with the source lines that JAX
gives its operations. Needs jax; the devices are XLA's forced host devices.
"""
import contextlib, glob, json, os, re, shutil, subprocess, sys, tempfile

DEVICES = 32 if "--run" not in sys.argv or "transformer_step_32" in sys.argv else 8
dump = tempfile.mkdtemp()
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES}"
if "--run" not in sys.argv:
    os.environ["XLA_FLAGS"] += f" --xla_dump_to={dump} --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=spmd.*|shardy.*"
import jax, jax.numpy as jnp, numpy as np
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P, reshard

devices = np.array(jax.devices()[:8])
m8, m24, m222 = Mesh(devices, ("x",)), Mesh(devices.reshape(2, 4), ("x", "y")), Mesh(devices.reshape(2, 2, 2), ("a", "b", "c"))
m84 = Mesh(np.array(jax.devices()).reshape(8, 4), ("data", "model")) if DEVICES == 32 else None
e24 = Mesh(devices.reshape(2, 4), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
f32 = jnp.float32
programs = {}


def program(name, mesh, inputs, specs, outs=None, types=None):
    """Inputs' shapes and shardings, the results' shardings, and types that are not f32 by input."""
    def add(function):
        programs[name] = (function, mesh, inputs, specs, outs, types or {})
        return function
    return add


def place(x, mesh, *spec):
    return lax.with_sharding_constraint(x, NamedSharding(mesh, P(*spec)))


# MLPs
@program('mlp_tp',m24,[(16,32),(32,64),(64,32)],[P('x',None),P(None,'y'),P('y',None)],P('x',None))
def _(x,a,b): return jax.nn.gelu(x@a)@b
@program('mlp_dp_step',m8,[(32,16),(16,24),(24,),(24,8),(8,),(32,8)],[P('x'),P(),P(),P(),P(),P('x')])
def _(x,w1,b1,w2,b2,t):
    def loss(p):
        w1,b1,w2,b2=p
        h=jnp.maximum(x@w1+b1,0); o=h@w2+b2
        return jnp.mean((o-t)**2)
    l,g=jax.value_and_grad(loss)((w1,b1,w2,b2))
    return l,tuple(p-0.1*q for p,q in zip((w1,b1,w2,b2),g))
@program('mlp_fsdp',m8,[(32,16),(16,64),(64,16)],[P('x'),P('x',None),P('x',None)],P('x'))
def _(x,a,b): return jnp.tanh(x@a)@b
@program('mlp_fsdp_grad',m8,[(32,16),(16,64),(64,16)],[P('x'),P('x',None),P('x',None)],(P('x'),P('x')))
def _(x,a,b): return jax.grad(lambda a,b: jnp.sum(jnp.tanh(x@a)@b),argnums=(0,1))(a,b)
@program('mlp_tp_grad',m24,[(16,32),(32,64),(64,32)],[P('x',None),P(None,'y'),P('y',None)],(P(None,'y'),P('y',None)))
def _(x,a,b): return jax.grad(lambda a,b: jnp.sum((jax.nn.relu(x@a)@b)**2),argnums=(0,1))(a,b)
# attention
def attn(x,wq,wk,wv,wo,h):
    B,T,D=x.shape
    q=(x@wq).reshape(B,T,h,-1); k=(x@wk).reshape(B,T,h,-1); v=(x@wv).reshape(B,T,h,-1)
    s=jnp.einsum('bqhd,bkhd->bhqk',q,k)/np.sqrt(q.shape[-1])
    mask=jnp.tril(jnp.ones((T,T),bool)); s=jnp.where(mask,s,-1e9)
    p=jax.nn.softmax(s,-1)
    o=jnp.einsum('bhqk,bkhd->bqhd',p,v).reshape(B,T,-1)
    return o@wo
def ln(x): 
    m=x.mean(-1,keepdims=True); v=((x-m)**2).mean(-1,keepdims=True); return (x-m)*lax.rsqrt(v+1e-5)
TB=[(4,16,32)]+[(32,32)]*4+[(32,64),(64,32)]
TS=[P('x'),P(None,'y'),P(None,'y'),P(None,'y'),P('y',None),P(None,'y'),P('y',None)]
def block(x,wq,wk,wv,wo,w1,w2):
    x=x+attn(ln(x),wq,wk,wv,wo,4); return x+jax.nn.gelu(ln(x)@w1)@w2
program('transformer_fwd',m24,TB,TS,P('x'))(block)
@program('transformer_bwd',m24,TB,TS,tuple(TS))
def _(*a): return jax.grad(lambda *a: jnp.sum(block(*a)**2),argnums=tuple(range(7)))(*a)
@program('attention_seq',m8,[(2,64,16),(16,16),(16,16),(16,16),(16,16)],[P(None,'x'),P(),P(),P(),P()],P(None,'x'))
def _(x,q,k,v,o): return attn(x,q,k,v,o,2)
@program('transformer_scan',m24,[(4,8,16),(3,16,32),(3,32,16)],[P('x'),P(None,None,'y'),P(None,'y',None)],P('x'))
def _(x,a,b):
    def f(c,w): return c+jnp.tanh(c@w[0])@w[1],None
    return lax.scan(f,x,(a,b))[0]
@program('moe_dense',m24,[(16,8),(4,8,16),(4,16,8),(8,4)],[P('x'),P('y'),P('y'),P()],P('x'))
def _(x,w1,w2,g):
    p=jax.nn.softmax(x@g); h=jnp.einsum('td,edf->etf',x,w1); o=jnp.einsum('etf,efd->etd',jnp.tanh(h),w2)
    return jnp.einsum('etd,te->td',o,p)
# conv
def conv(x,w,s=1,pad='SAME'): return lax.conv_general_dilated(x,w,(s,s),pad,dimension_numbers=('NHWC','HWIO','NHWC'))
@program('conv_batch',m8,[(8,12,12,3),(3,3,3,8)],[P('x'),P()],P('x'))
def _(x,w): return jax.nn.relu(conv(x,w))
@program('conv_spatial',m8,[(2,16,16,4),(3,3,4,8)],[P(None,'x'),P()],P(None,'x'))
def _(x,w): return jax.nn.relu(conv(x,w))
@program('conv_spatial2',m24,[(2,16,16,4),(3,3,4,8),(3,3,8,4)],[P(None,'x','y'),P(),P()],P(None,'x','y'))
def _(x,w,v): return conv(jax.nn.relu(conv(x,w)),v)
@program('conv_stride',m8,[(2,32,16,4),(3,3,4,8)],[P(None,'x'),P()],P(None,'x'))
def _(x,w): return conv(x,w,2)
@program('conv_grad',m8,[(16,8,8,4),(3,3,4,8)],[P('x'),P()],(P('x'),P()))
def _(x,w): return jax.grad(lambda x,w: jnp.sum(conv(x,w)**2),argnums=(0,1))(x,w)
@program('conv_spatial_grad',m8,[(2,16,16,4),(3,3,4,8)],[P(None,'x'),P()],(P(None,'x'),P()))
def _(x,w): return jax.grad(lambda x,w: jnp.sum(conv(x,w)**2),argnums=(0,1))(x,w)
@program('conv_feature',m8,[(2,8,8,16),(3,3,16,32)],[P(None,None,None,'x'),P(None,None,'x',None)],P())
def _(x,w): return conv(x,w)
@program('pool_net',m8,[(2,16,16,4),(3,3,4,8)],[P(None,'x'),P()],P(None,'x'))
def _(x,w):
    h=conv(x,w); return lax.reduce_window(h,-jnp.inf,lax.max,(1,2,2,1),(1,2,2,1),'VALID')
@program('avg_pool_overlap',m8,[(2,16,16,4)],[P(None,'x')],P(None,'x'))
def _(x): return lax.reduce_window(x,0.,lax.add,(1,3,3,1),(1,1,1,1),'SAME')
# indexing
@program('embed_vocab',m8,[(64,16),(4,8)],[P('x',None),P()],P(),{1:jnp.int32})
def _(t,i): return t[i]
@program('embed_batch',m24,[(64,16),(8,8)],[P(None,'y'),P('x')],P('x',None,'y'),{1:jnp.int32})
def _(t,i): return jnp.take(t,i,axis=0)
@program('embed_grad',m8,[(64,16),(8,8)],[P('x'),P('x')],P('x'),{1:jnp.int32})
def _(t,i): return jax.grad(lambda t: jnp.sum(jnp.sin(t[i])))(t)
@program('scatter_add',m8,[(32,8),(16,),(16,8)],[P('x'),P(),P()],P('x'),{1:jnp.int32})
def _(t,i,u): return t.at[i].add(u)
@program('scatter_window',m8,[(32,8),(16,),(16,8)],[P(None,'x'),P(),P(None,'x')],P(None,'x'),{1:jnp.int32})
def _(t,i,u): return t.at[i].set(u)
@program('gather_batch',m8,[(8,32,4),(8,5)],[P('x'),P('x')],P('x'),{1:jnp.int32})
def _(t,i): return jnp.take_along_axis(t,i[:,:,None],axis=1)
@program('one_hot_loss',m8,[(16,32),(16,)],[P('x'),P('x')],P(),{1:jnp.int32})
def _(l,t): return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(l),t[:,None],1))
@program('vocab_loss',m8,[(16,32),(16,)],[P(None,'x'),P()],P(),{1:jnp.int32})
def _(l,t):
    m=l.max(-1,keepdims=True); z=jnp.log(jnp.exp(l-m).sum(-1))+m[:,0]
    return jnp.mean(z-jnp.sum(jax.nn.one_hot(t,32)*l,-1))
@program('ds_batch',m8,[(8,32),()],[P('x'),P()],P('x'),{1:jnp.int32})
def _(x,i): return lax.dynamic_slice(x,(0,i),(8,4))
@program('ds_sharded',m8,[(32,16),()],[P('x'),P()],P(),{1:jnp.int32})
def _(x,i): return lax.dynamic_slice(x,(i,0),(4,16))
@program('dus_sharded',m8,[(32,8),(4,8),()],[P('x'),P(),P()],P('x'),{2:jnp.int32})
def _(x,u,i): return lax.dynamic_update_slice(x,u,(i,0))
@program('kv_cache',m24,[(2,32,4,8),(2,1,4,8),()],[P('x',None,'y'),P('x',None,'y'),P()],P('x',None,'y'),{2:jnp.int32})
def _(c,n,i): return lax.dynamic_update_slice(c,n,(0,i,0,0))
# sort, reductions, scans
@program('sort_free',m8,[(8,64)],[P('x')],P('x'))
def _(x): return jnp.sort(x,1)
@program('sort_dim',m8,[(64,16)],[P('x')],P('x'))
def _(x): return jnp.sort(x,0)
@program('argsort',m8,[(16,32)],[P('x')],P('x'))
def _(x): return jnp.argsort(x,1)
@program('argmax_dim',m8,[(64,16)],[P('x')],P())
def _(x): return jnp.argmax(x,0)
@program('reduce_all',m24,[(32,16,8)],[P('x','y')],(P(),P(),P()))
def _(x): return x.sum(),x.max(0),x.prod((1,2))
@program('softmax_dim',m8,[(16,64)],[P(None,'x')],P(None,'x'))
def _(x): return jax.nn.softmax(x,1)
@program('cumsum_dim',m8,[(64,16)],[P('x')],P('x'))
def _(x): return jnp.cumsum(x,0)
@program('cumsum_free',m8,[(64,16)],[P('x')],P('x'))
def _(x): return jnp.cumsum(x,1)
@program('variance',m8,[(64,16)],[P('x')],P('x'))
def _(x): return (x-x.mean(0))/jnp.sqrt(x.var(0)+1e-3)
@program('topk',m8,[(16,64)],[P('x')],P('x'))
def _(x): return lax.top_k(x,4)[0]
# movement
@program('transpose',m24,[(16,32)],[P('x','y')],P('y','x'))
def _(x): return x.T*2
@program('reshape_split',m8,[(64,8)],[P('x')],P('x'))
def _(x): return jnp.sin(x.reshape(16,4,8)).sum(1)
@program('reshape_merge',m24,[(8,16,4)],[P('x','y')],P(('x','y')))
def _(x): return (x*2).reshape(128,4)
@program('slice_shift',m8,[(64,8)],[P('x')],P('x'))
def _(x): return jnp.concatenate([x[1:],x[:1]],0)+x
@program('stencil',m8,[(66,32)],[P()],P())
def _(x):
    x=place(x[:64],m8,'x'); y=jnp.pad(x,((1,1),(0,0))); return y[2:]+y[:-2]-2*x
@program('pad_slice',m8,[(64,8)],[P('x')],P('x'))
def _(x): return jnp.pad(x,((8,8),(0,0)))[4:68]
@program('concat_free',m8,[(16,8),(16,4)],[P('x'),P('x')],P('x'))
def _(x,y): return jnp.concatenate([x,y],1)
@program('reverse',m8,[(64,8)],[P('x')],P('x'))
def _(x): return x[::-1]
@program('alltoall_constraint',m8,[(64,64)],[P('x')],P(None,'x'))
def _(x): return place(jnp.sin(x),m8,'x',None)*3
@program('axes222',m222,[(8,16,8),(8,8,16)],[P('a','b','c'),P('a','c',None)],P('a','b'))
def _(x,w): return jnp.einsum('bij,bjk->bik',x,w)
# loops, branches
@program('while_power',m8,[(16,16),(16,)],[P('x'),P()],P())
def _(a,v): return lax.fori_loop(0,5,lambda i,v: (a@v)/jnp.sqrt(jnp.sum((a@v)**2)),v)
@program('cond_branch',m8,[(16,8),()],[P('x'),P()],P('x'),{1:jnp.int32})
def _(x,p): return lax.cond(p>0,lambda x: jnp.sin(x)+x.sum(0),lambda x: x*2,x)
@program('jacobi',m8,[(64,16)],[P('x')],P('x'))
def _(x):
    def step(i,x): return x.at[1:-1].set(0.5*(x[:-2]+x[2:]))
    return lax.fori_loop(0,3,step,x)
@program('rnn',m24,[(8,10,16),(16,32),(32,32)],[P('x'),P(None,'y'),P(None,'y')],P('x'))
def _(x,w,u):
    def f(h,t): h=jnp.tanh(t@w+h@u); return h,h
    return lax.scan(f,jnp.zeros((8,32)),x.transpose(1,0,2))[0]
# spectral, linear algebra
@program('fft_free',m8,[(16,32)],[P('x')],P('x'))
def _(x): return jnp.abs(jnp.fft.fft(x,axis=1))
@program('fft_dim',m8,[(16,32)],[P(None,'x')],P(None,'x'))
def _(x): return jnp.abs(jnp.fft.fft(x,axis=1))
@program('cholesky_batch',m8,[(8,4,4)],[P('x')],P('x'))
def _(x): return jnp.linalg.cholesky(x@x.transpose(0,2,1)+4*jnp.eye(4))
@program('random_bits',m8,[(2,),(64,8)],[P(),P('x')],P('x'),{0:jnp.uint32})
def _(k,x): return x+jax.random.uniform(jax.random.wrap_key_data(k),(64,8))
@program('iota_mask',m8,[(64,8)],[P('x')],P('x'))
def _(x): return jnp.where(lax.broadcasted_iota(jnp.int32,(64,8),0)<50,x,0.)
# shard_map
def smap(f,mesh,i,o): return jax.shard_map(f,mesh=mesh,in_specs=i,out_specs=o,check_vma=False)
@program('shard_map_psum',m24,[(16,32),(32,8)],[P('x','y'),P('y')],P('x'))
def _(a,b): return smap(lambda a,b: lax.psum(a@b,'y'),m24,(P('x','y'),P('y')),P('x'))(a,b)
@program('shard_map_ring',m8,[(64,8)],[P('x')],P('x'))
def _(x): return smap(lambda x: x+lax.ppermute(x,'x',[(i,(i+1)%8) for i in range(8)]),m8,P('x'),P('x'))(x)*2
@program('shard_map_mixed',m24,[(16,32),(32,16)],[P('x','y'),P()],P('x','y'))
def _(a,b):
    g=smap(lambda a: lax.all_gather(a,'y',axis=1,tiled=True)*lax.axis_index('x').astype(f32),m24,P('x','y'),P('x'))
    return g(jnp.sin(a))@b
@program('shard_map_auto',m24,[(16,32),(32,16)],[P('x','y'),P('y')],P('x'))
def _(a,b):
    return jax.jit(jax.shard_map(lambda a,b: lax.psum(jnp.sum(a@b),'x')+a@b,mesh=m24,in_specs=(P('x'),P()),out_specs=P('x'),axis_names={'x'},check_vma=False))(a,b)
# uneven
@program('uneven_sum',m8,[(30,8)],[P()],P())
def _(x): return jnp.exp(place(x,m8,'x')).sum(0)
@program('uneven_dot',m8,[(12,30),(30,6)],[P(),P()],P())
def _(a,b): return place(a,m8,None,'x')@place(b,m8,'x',None)
@program('uneven_norm',m8,[(30,10)],[P()],P())
def _(x): 
    y=place(jnp.sin(x),m8,'x'); return place((y-y.max(0))/y.mean(0),m8,None,'x')


# several dimensions looked up or written by index at once
@program('gather_two',m24,[(64,64,8),(10,2)],[P('x','y'),P()],P(),{1:jnp.int32})
def _(t,i): return t[i[:,0],i[:,1]]
@program('gather_two_grad',m24,[(32,16,8),(24,2)],[P('x','y'),P()],P('x','y'),{1:jnp.int32})
def _(t,i): return jax.grad(lambda t: jnp.sum(jnp.sin(t[i[:,0],i[:,1]])))(t)
@program('gather_window',m8,[(64,16),(6,)],[P('x'),P()],P(),{1:jnp.int32})
def _(t,i): return jax.vmap(lambda k: lax.dynamic_slice(t,(k,0),(3,16)))(i)
@program('segment_sum',m8,[(64,16),(64,)],[P('x'),P('x')],P(),{1:jnp.int32})
def _(x,s): return jax.ops.segment_sum(x,s,num_segments=8)
# embeddings
@program('embed_tokens_grad',m24,[(64,16),(16,8)],[P('y'),P('x')],P('y'),{1:jnp.int32})
def _(t,i): return jax.grad(lambda t: jnp.sum(jnp.sin(t[i])))(t)
@program('embed_tied_grad',m24,[(64,16),(8,8),(8,8)],[P('y'),P('x'),P('x')],(P(),P('y')),{1:jnp.int32,2:jnp.int32})
def _(t,i,o):
    def loss(t):
        l=jax.nn.log_softmax(jnp.tanh(t[i])@t.T)
        return -jnp.mean(jnp.take_along_axis(l,o[...,None],-1))
    return jax.value_and_grad(loss)(t)
@program('embed_large_grad',m8,[(256,32),(64,16)],[P('x'),P('x')],P('x'),{1:jnp.int32})
def _(t,i): return jax.grad(lambda t: jnp.sum(jnp.sin(t[i])**2))(t)
# constants under two shardings, and one array under two
@program('constant_two',m24,[(64,64),(64,64)],[P('x','y'),P('y','x')],(P('x','y'),P('y','x')))
def _(x,y):
    c=jnp.ones((64,64))
    return x+c,y+c
@program('iota_two',m24,[(64,64),(64,64)],[P('x','y'),P('y','x')],(P('x','y'),P('y','x')))
def _(x,y):
    c=jnp.sqrt(lax.broadcasted_iota(f32,(64,64),0)+1)
    return x+c,y*c
@program('swap_axes',m24,[(64,64)],[P('x','y')],P('y','x'))
def _(x): return place(jnp.sin(x),m24,'x','y')+1
@program('swap_three',m222,[(32,16,8)],[P('a','b','c')],P('c','a','b'))
def _(x): return jnp.sin(x)*2
@program('to_columns',m24,[(64,64)],[P(('x','y'),None)],P('y','x'))
def _(x): return jnp.sin(x)
# spatial convolutions and pools
def blocks(x,v,w):
    h=jax.nn.relu(conv(x,v))
    return jax.nn.relu(x+conv(h,w))
@program('resblock_grad',m24,[(4,32,32,8),(3,3,8,8),(3,3,8,8)],[P(None,'x','y'),P(),P()],(P(None,'x','y'),P(),P()))
def _(x,v,w): return jax.grad(lambda x,v,w: jnp.sum(blocks(x,v,w)**2),argnums=(0,1,2))(x,v,w)
@program('conv_stride_grad',m8,[(2,64,16,4),(3,3,4,8)],[P(None,'x'),P()],(P(None,'x'),P()))
def _(x,w): return jax.grad(lambda x,w: jnp.sum(conv(x,w,2)**2),argnums=(0,1))(x,w)
@program('max_pool_grad',m8,[(2,64,16,4)],[P(None,'x')],P(None,'x'))
def _(x): return jax.grad(lambda x: jnp.sum(lax.reduce_window(x,-jnp.inf,lax.max,(1,2,2,1),(1,2,2,1),'VALID')**2))(x)
@program('max_pool_overlap_grad',m8,[(2,64,16,4)],[P(None,'x')],P(None,'x'))
def _(x): return jax.grad(lambda x: jnp.sum(lax.reduce_window(x,-jnp.inf,lax.max,(1,3,3,1),(1,2,2,1),'SAME')**2))(x)
@program('avg_pool_grad',m8,[(2,64,16,4)],[P(None,'x')],P(None,'x'))
def _(x): return jax.grad(lambda x: jnp.sum(lax.reduce_window(x,0.,lax.add,(1,3,3,1),(1,2,2,1),'SAME')**2))(x)
@program('conv_transpose',m8,[(2,16,16,4),(3,3,4,8)],[P(None,'x'),P()],P(None,'x'))
def _(x,w): return lax.conv_transpose(x,w,(2,2),'SAME')
@program('conv_depthwise',m8,[(2,32,16,8),(3,3,1,8)],[P(None,'x'),P()],P(None,'x'))
def _(x,w): return lax.conv_general_dilated(x,w,(1,1),'SAME',dimension_numbers=('NHWC','HWIO','NHWC'),feature_group_count=8)
@program('upsample',m8,[(2,16,8,4)],[P(None,'x')],P(None,'x'))
def _(x): return jnp.repeat(jnp.repeat(x,2,axis=1),2,axis=2)
# loops: what no round changes, and results of each round
@program('loop_weights',m8,[(16,32),(32,32)],[P('x'),P('x')],P('x'))
def _(x,w): return lax.fori_loop(0,6,lambda i,h: jnp.tanh(h@w),x)
@program('scan_length',m8,[(16,8,32),(32,)],[P('x'),P()],P())
def _(x,h): return lax.scan(lambda h,t: (jnp.tanh(h+t.mean(0)),None),h,x)[0]
@program('scan_layers',m24,[(8,32),(4,32,64),(4,64,32)],[P('x'),P(None,'x','y'),P(None,'y','x')],P('x'))
def _(x,a,b): return lax.scan(lambda h,w: (h+jax.nn.relu(h@w[0])@w[1],None),x,(a,b))[0]
@program('scan_layers_grad',m24,[(8,32),(4,32,64),(4,64,32)],[P('x'),P(None,'x','y'),P(None,'y','x')],(P(None,'x','y'),P(None,'y','x')))
def _(x,a,b):
    return jax.grad(lambda a,b: jnp.sum(lax.scan(lambda h,w: (h+jax.nn.relu(h@w[0])@w[1],None),x,(a,b))[0]**2),argnums=(0,1))(a,b)
@program('rnn_whole',m24,[(8,10,16),(16,32),(32,32)],[P('x'),P(None,'y'),P(None,'y')],P())
def _(x,w,u):
    def f(h,t): h=jnp.tanh(t@w+h@u); return h,h
    return lax.scan(f,jnp.zeros((8,32)),x.transpose(1,0,2))[1]
@program('kmeans',m8,[(128,8),(4,8)],[P('x'),P()],P())
def _(x,c):
    def step(i,c):
        near=jnp.argmin(((x[:,None]-c)**2).sum(-1),1)
        hot=jax.nn.one_hot(near,4)
        return hot.T@x/(hot.sum(0)[:,None]+1)
    return lax.fori_loop(0,3,step,c)
# others
@program('dot_spread',m24,[(64,32),(32,64)],[P('x',None),P(None,'y')],P(('x','y'),None))
def _(a,b): return a@b
@program('norm_features',m24,[(16,64),(64,),(64,32)],[P('x','y'),P('y'),P('y',None)],P('x',None))
def _(x,g,w): return (ln(x)*g)@w
@program('experts',m8,[(64,16),(16,8),(8,16,32),(8,32,16)],[P('x'),P(),P('x'),P('x')],P('x'))
def _(x,g,v,w):
    p=jax.nn.softmax(x@g); e=jnp.argmax(p,-1); hot=jax.nn.one_hot(e,8)
    slot=(jnp.cumsum(hot,0)-1)*hot; d=hot[:,:,None]*jax.nn.one_hot(slot.sum(-1),16)[:,None,:]
    y=jnp.einsum('tes,td->esd',d,x)
    y=jnp.einsum('esf,efd->esd',jax.nn.relu(jnp.einsum('esd,edf->esf',y,v)),w)
    return jnp.einsum('tes,esd->td',d*p[:,:,None],y)
@program('roll_two',m24,[(32,32)],[P('x','y')],P('x','y'))
def _(x): return jnp.roll(x,(1,-2),(0,1))[::-1]
@program('associative_scan',m8,[(64,8)],[P('x')],P('x'))
def _(x): return lax.associative_scan(lambda a,b: a*b+a,x,axis=0)
@program('heads',m24,[(8,16,32),(32,64),(64,32)],[P('x'),P(None,'y'),P('y')],P('x'))
def _(x,w,o):
    h=(x@w).reshape(8,16,8,8).transpose(0,2,1,3)
    return jax.nn.softmax(h@h.swapaxes(-1,-2)).sum(-1)[...,None].transpose(0,2,1,3).reshape(8,16,8).repeat(8,-1)@o

def train_step():
    """A Transformer's train step of two layers on 32 devices: the batch over `data`, heads and hidden units over `model`."""
    width, heads, hidden, words, length, batch = 32, 4, 64, 64, 8, 16
    layer = {"q": P(None, "model"), "k": P(None, "model"), "v": P(None, "model"), "o": P("model"), "in": P(None, "model"), "out": P("model")}
    shapes = {"q": (width, heads, 8), "k": (width, heads, 8), "v": (width, heads, 8), "o": (heads, 8, width), "in": (width, hidden),
              "out": (hidden, width)}
    names = [(n, k) for k in range(2) for n in shapes]

    def loss(weights, table, tokens, targets):
        x = table[tokens]
        for k in range(2):
            w = {n: weights[names.index((n, k))] for n in shapes}
            q, key, v = (jnp.einsum("blw,whd->bhld", ln(x), w[n]) for n in "qkv")
            scores = jax.nn.softmax(jnp.einsum("bhld,bhmd->bhlm", q, key) / np.sqrt(8))
            x = x + jnp.einsum("bhld,hdw->blw", jnp.einsum("bhlm,bhmd->bhld", scores, v), w["o"])
            x = x + jax.nn.gelu(ln(x) @ w["in"]) @ w["out"]
        logits = jax.nn.log_softmax(ln(x) @ table.T)
        return -jnp.take_along_axis(logits, targets[..., None], -1).mean()

    @program("transformer_step_32", m84, [shapes[n] for n, _ in names] + [(words, width), (batch, length), (batch, length)],
             [layer[n] for n, _ in names] + [P(), P("data"), P("data")],
             (tuple(layer[n] for n, _ in names), P()), {13: jnp.int32, 14: jnp.int32})
    def _(*a):
        value, gradient = jax.value_and_grad(lambda w: loss(w, *a[12:]))(a[:12])
        return tuple(w - 0.1 * g for w, g in zip(a[:12], gradient)), value


train_step()


# partial sums
@program('unreduced_result',e24,[(8,32),(32,16)],[P(None,'x'),P('x',None)],P(None,None,unreduced={'x'}))
def _(x,w):
    y=jnp.einsum('ij,jk->ik',x,w,out_sharding=P(None,None,unreduced={'x'}))
    return y+y
@program('unreduced_parameter',e24,[(16,16),(8,16),(16,16)],[P(None,None,unreduced={'x'}),P(None,'x'),P('x',None)],P('x','y'))
def _(acc,x,w):
    y=jnp.einsum('bi,bj->ij',reshard(x,P('x',None)),reshard(x,P('x',None)),out_sharding=P(None,None,unreduced={'x'}))
    return jnp.tanh(reshard(acc+y,P('x','y')))
@program('unreduced_loop',e24,[(4,16,32),(4,16,24)],[P(None,'x',None),P(None,'x','y')],P('x','y'))
def _(x,g):
    def step(acc,xg):
        a,b=xg
        return acc+jnp.einsum('bi,bj->ij',a,b,out_sharding=P(None,'y',unreduced={'x'})),None
    zero=reshard(jnp.zeros((32,24),out_sharding=P(None,'y')),P(None,'y',unreduced={'x'}))
    acc,_=lax.scan(step,zero,(x,g))
    return reshard(acc,P('x','y'))*0.25

# stages over an axis, and caches
def staged(x,w,cache=None):
    """Microbatches x through stages: each tick, all stages work on their row of a buffer and hand it on."""
    def stage(h,w,c,m):
        if c is None: return lax.scan(lambda h,w: (jnp.tanh(h@w),None),h,w)
        used,at=(m>=0)&(m<len(x)),jnp.clip(m,0,len(x)-1)
        old=lax.dynamic_index_in_dim(c,at,1,False)
        h,new=lax.scan(lambda h,wc: (jnp.tanh(h@wc[0]+wc[1]),h),h,(w,old))
        return h,lax.dynamic_update_index_in_dim(c,jnp.where(used,new,old),at,1)
    def tick(state,t):
        rows,c=state
        rows=place(jnp.concatenate([x[jnp.minimum(t,len(x)-1)][None],rows[:-1]]),m222,'a','b')
        rows,c=jax.vmap(stage)(rows,w,c,t-jnp.arange(2))
        return (place(rows,m222,'a','b'),c),rows[-1]
    (_,cache),y=lax.scan(tick,(jnp.zeros((2,*x.shape[1:])),cache),jnp.arange(len(x)+1))
    return y[1:],cache
@program('pipeline_scan_grad',m222,[(4,6,16),(2,3,16,16)],[P(None,'b'),P('a',None,None,'c')],(P(),P('a',None,None,'c')))
def _(x,w): return jax.value_and_grad(lambda w: jnp.sum(staged(x,w)[0]**2))(w)
@program('pipeline_cache',m222,[(4,6,16),(2,3,16,16),(2,3,4,6,16)],[P(None,'b'),P('a',None,None,'c'),P('a',None,None,'b')],(P(None,'b'),P('a',None,None,'b')))
def _(x,w,c): return staged(x,w,c)


def bare(text):
    """Without what tells where in the source a line comes from."""
    text = re.sub(r", metadata=\{[^{}]*\}", "", text)
    text = re.sub(r"\n(FileNames|FunctionNames|FileLocations|StackFrames)\n(\d+ .*\n)+", "", text)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n"


def sent(hloir, path):
    out = subprocess.run([hloir, "cost", "--json", path], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)["communication"]["sent"]


def as_manual(text):
    """Each array as what one device has, so that XLA's partitioner has nothing left to do."""
    text = re.sub(r", sharding=\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}", "", text)
    text = re.sub(r", allow_spmd_sharding_propagation_to_\w+=\{[^}]*\}", "", text)
    called = {c for line in text.split("\n") if " call(" in line for c in re.findall(r"to_apply=%?([\w.\-]+)", line)}
    reducers = set(re.findall(r"to_apply=%?([\w.\-]+)", text)) - called
    lines, computation = [], None
    for line in text.split("\n"):
        if head := re.match(r"^(?:ENTRY )?%?([\w.\-]+) \(.*\{\s*$", line):
            computation = head.group(1)
        array = re.match(r"^\s+(?:ROOT )?%?[\w.\-]+ = [^(\s]\S* [\w\-]+\(", line)
        results = re.match(r"^\s+ROOT %?[\w.\-]+ = (\(.*?\)) tuple\(", line)
        if results and computation.endswith("_spmd"):
            leaves = len(re.findall(r"\w+\[", results.group(1)))
            line += ", sharding={" + ", ".join(["{manual}"] * leaves) + "}"
        elif array and computation not in reducers:
            at = min((line.index(k) for k in (", frontend_attributes=", ", metadata=", ", backend_config=") if k in line), default=len(line))
            line = line[:at] + ", sharding={manual}" + line[at:]
        lines.append(line)
    return "\n".join(lines)


def run_on_xla(hloir, path, name):
    """The largest difference of a result from that of XLA's own partitioner, over the largest of its values."""
    import jaxlib._hlo as hlo, jaxlib._jax as xla
    from jax._src.lib import xla_client
    function, mesh, inputs, specs, outs, types = programs[name]
    partitioned = os.path.join(dump, name + ".ours.hlo")
    subprocess.run([hloir, "opt", path, "--passes=call-inliner,sharding-propagation,spmd-partitioning,dce,cse,dce", "-o", partitioned], check=True)
    rng = np.random.default_rng(0)
    arguments = []
    for k, shape in enumerate(inputs):
        kind = np.dtype(types.get(k, np.float32))
        made = rng.integers(0, 4, shape) if np.issubdtype(kind, np.integer) else rng.standard_normal(shape)
        arguments.append(np.asarray(made, kind))
    shard = lambda spec: jax.tree.map(lambda s: NamedSharding(mesh, s), spec, is_leaf=lambda s: isinstance(s, P))
    more = {} if outs is None else {"out_shardings": shard(outs)}
    wanted = jax.tree.leaves(jax.jit(function, in_shardings=tuple(shard(s) for s in specs), **more)(*arguments))
    all_devices = list(mesh.devices.flat)
    count = len(all_devices)
    options = xla_client.CompileOptions()
    build = options.executable_build_options
    options.num_replicas = build.num_replicas = 1
    options.num_partitions = build.num_partitions = count
    build.use_spmd_partitioning = True
    build.device_assignment = xla_client.DeviceAssignment.create(np.arange(count).reshape(1, count))
    module = hlo.hlo_module_from_text(as_manual(open(partitioned).read()))
    computation = hlo.XlaComputation(module.as_serialized_hlo_module_proto())
    program = all_devices[0].client.compile_and_load(xla.mlir.xla_computation_to_mlir_module(computation),
                                                     xla_client.DeviceList(tuple(all_devices)), options)
    flat = Mesh(np.array(all_devices), ("device",))
    given = []
    for argument, spec in zip(arguments, specs):
        parts = {s.device.id: np.asarray(s.data) for s in jax.device_put(argument, NamedSharding(mesh, spec)).addressable_shards}
        local = [jax.device_put(parts[d.id], d) for d in all_devices]
        shape = local[0].shape
        placed = NamedSharding(flat, P("device", *[None] * (len(shape) - 1)) if shape else P())
        whole = (shape[0] * count,) + shape[1:] if shape else ()
        given.append(jax.make_array_from_single_device_arrays(whole, placed, local))
    results = program.execute_sharded(given).disassemble_into_single_device_arrays()
    worst = 0.0
    for want, parts in zip(wanted, results):
        for part in want.addressable_shards:
            theirs, ours = np.asarray(part.data), np.asarray(parts[all_devices.index(part.device)])
            assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
            if theirs.size:
                difference = np.abs(ours.astype(np.complex128) - theirs.astype(np.complex128)).max()
                worst = max(worst, difference / (np.abs(theirs).max() + 1e-9))
    return worst


def main():
    if "--run" in sys.argv:
        sys.argv.remove("--run")
        here, names = os.path.dirname(os.path.abspath(__file__)), sys.argv[2:] or [n for n in programs if not n.startswith("unreduced")]
        if len(names) == 1:
            worst = run_on_xla(sys.argv[1], os.path.join(here, names[0] + ".hlo"), names[0])
            print(f"{names[0]:24} {worst:.1e}", flush=True)
            shutil.rmtree(dump)
            sys.exit(worst > 1e-4)
        # Each in a process of its own, as XLA ends it where it meets what it doesn't expect.
        shutil.rmtree(dump)
        failed = [n for n in names if subprocess.run([sys.executable, __file__, sys.argv[1], "--run", n]).returncode != 0]
        sys.exit(f"not run, or not the same: {', '.join(failed)}" if failed else 0)
    keep = next((argument.split("=", 1)[1] for argument in sys.argv if argument.startswith("--keep=")), None)
    sources = next((argument.split("=", 1)[1] for argument in sys.argv if argument.startswith("--metadata=")), None)
    hloir, *only = [argument for argument in sys.argv[1:] if not argument.startswith(("--keep=", "--metadata="))]
    here = os.path.dirname(os.path.abspath(__file__))
    record = os.path.join(here, "xla.json")
    bytes_sent = json.load(open(record)) if os.path.exists(record) else {}
    for name, (function, mesh, inputs, specs, outs, types) in programs.items():
        if only and name not in only:
            continue
        function.__name__ = name
        shard = lambda spec: jax.tree.map(lambda s: NamedSharding(mesh, s), spec, is_leaf=lambda s: isinstance(s, P))
        # A mesh of explicit axes is in force while a program is traced, and its inputs bring their shardings.
        explicit = mesh is e24
        arguments = [jax.ShapeDtypeStruct(shape, types.get(k, f32), sharding=shard(specs[k]) if explicit else None)
                     for k, shape in enumerate(inputs)]
        more = {} if outs is None else {"out_shardings": shard(outs)}
        if not explicit:
            more["in_shardings"] = tuple(shard(s) for s in specs)
        with jax.set_mesh(mesh) if explicit else contextlib.nullcontext():
            compiled = jax.jit(function, **more).lower(*arguments).compile()
        (after,) = glob.glob(f"{dump}/*jit_{name}.*after_spmd-partitioning*.txt")
        if keep:
            shutil.copy(after, os.path.join(keep, name + ".hlo"))
            continue
        (before,) = glob.glob(f"{dump}/*jit_{name}.*before_optimizations.txt")
        if sources:
            shutil.copy(before, os.path.join(sources, name + ".hlo"))
            continue
        open(os.path.join(here, name + ".hlo"), "w").write(bare(open(before).read()))
        partitioned = os.path.join(dump, name + ".hlo")
        with open(partitioned, "w") as out:
            out.write(compiled.as_text())
        bytes_sent[name] = sent(hloir, partitioned)
        print(name, bytes_sent[name], flush=True)
    if not keep and not sources:
        json.dump(dict(sorted(bytes_sent.items())), open(record, "w"), indent=1)
    shutil.rmtree(dump)


main()
