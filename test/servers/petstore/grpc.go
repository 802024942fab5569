// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Remote serves the store over gRPC. Its messages are built from a descriptor set at run time.
type Remote struct {
	store         *Store
	journal       *Journal
	authorization string
	service       protoreflect.ServiceDescriptor
}

// NewRemote reads the descriptor set of petstore.proto from a file and registers it, so that
// reflection knows it.
func NewRemote(path string, store *Store, journal *Journal, authorization string) (*Remote, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(data, &set); err != nil {
		return nil, err
	}
	for _, file := range set.File {
		built, err := protodesc.NewFile(file, protoregistry.GlobalFiles)
		if err != nil {
			return nil, err
		}
		if err := protoregistry.GlobalFiles.RegisterFile(built); err != nil {
			return nil, err
		}
	}
	found, err := protoregistry.GlobalFiles.FindDescriptorByName("petstore.PetStore")
	if err != nil {
		return nil, err
	}
	return &Remote{store, journal, authorization, found.(protoreflect.ServiceDescriptor)}, nil
}

// Server returns a server with the service and reflection.
func (r *Remote) Server(options ...grpc.ServerOption) *grpc.Server {
	server := grpc.NewServer(options...)
	desc := grpc.ServiceDesc{ServiceName: "petstore.PetStore", HandlerType: (*any)(nil), Metadata: "petstore.proto"}
	for i := 0; i < r.service.Methods().Len(); i++ {
		method := r.service.Methods().Get(i)
		if method.IsStreamingServer() {
			desc.Streams = append(desc.Streams, grpc.StreamDesc{
				StreamName: string(method.Name()), ServerStreams: true,
				Handler: func(_ any, stream grpc.ServerStream) error { return r.stream(method, stream) },
			})
			continue
		}
		desc.Methods = append(desc.Methods, grpc.MethodDesc{
			MethodName: string(method.Name()),
			Handler: func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
				return r.unary(ctx, method, decode)
			},
		})
	}
	server.RegisterService(&desc, struct{}{})
	reflection.Register(server)
	return server
}

// header returns the first value of an entry of the call's metadata, or "".
func header(ctx context.Context, name string) string {
	if values := metadata.ValueFromIncomingContext(ctx, name); len(values) > 0 {
		return values[0]
	}
	return ""
}

// client returns the common name of the client certificate, or "".
func client(ctx context.Context) string {
	from, _ := peer.FromContext(ctx)
	if secured, ok := from.AuthInfo.(credentials.TLSInfo); ok && len(secured.State.PeerCertificates) > 0 {
		return secured.State.PeerCertificates[0].Subject.CommonName
	}
	return ""
}

// begin records a call. The error is that of a fault without an effect.
func (r *Remote) begin(ctx context.Context, method protoreflect.MethodDescriptor) (*Fault, error) {
	call := Call{
		What:          string(method.Name()),
		Authorization: header(ctx, "authorization"),
		Key:           header(ctx, "idempotency-key"),
		Client:        client(ctx),
	}
	fault := r.journal.Note(call)
	if r.authorization != "" && call.Authorization != r.authorization {
		return nil, status.Error(codes.Unauthenticated, "who are you?")
	}
	if fault == nil {
		return nil, nil
	}
	if fault.Acts {
		return fault, nil
	}
	if fault.Kind == "slow" {
		fault.pause()
		return nil, nil
	}
	return nil, status.Error(codes.Code(fault.Status), fault.Body)
}

func (r *Remote) unary(ctx context.Context, method protoreflect.MethodDescriptor, decode func(any) error) (any, error) {
	request := dynamicpb.NewMessage(method.Input())
	if err := decode(request); err != nil {
		return nil, err
	}
	fault, err := r.begin(ctx, method)
	if err != nil {
		return nil, err
	}
	reply := dynamicpb.NewMessage(method.Output())
	if err := r.act(string(method.Name()), request, reply); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	if fault != nil && fault.Kind == "slow" {
		fault.pause()
		return reply, nil
	}
	if fault != nil && fault.Kind == "huge" {
		list := reply.Mutable(reply.Descriptor().Fields().ByName("ids")).List()
		list.Append(protoreflect.ValueOfString(strings.Repeat("x", fault.Megabytes<<20)))
		return reply, nil
	}
	if fault != nil {
		return nil, status.Error(codes.Code(fault.Status), fault.Body)
	}
	return reply, nil
}

func (r *Remote) act(name string, request, reply *dynamicpb.Message) error {
	fields := request.Descriptor().Fields()
	switch name {
	case "AddPets":
		ids, err := r.store.Add(petsOf(request.Get(fields.ByName("pets")).List()))
		if err != nil {
			return err
		}
		list := reply.Mutable(reply.Descriptor().Fields().ByName("ids")).List()
		for _, id := range ids {
			list.Append(protoreflect.ValueOfString(id))
		}
	case "UpdatePets":
		for _, pet := range petsOf(request.Get(fields.ByName("pets")).List()) {
			found, err := r.store.Update(pet)
			if err != nil {
				return err
			}
			if !found {
				return fmt.Errorf("no pet %s", pet.ID)
			}
		}
	case "DeletePets":
		ids := request.Get(fields.ByName("ids")).List()
		for i := 0; i < ids.Len(); i++ {
			r.store.Delete(ids.Get(i).String())
		}
	}
	return nil
}

func petsOf(list protoreflect.List) []Pet {
	var pets []Pet
	for i := 0; i < list.Len(); i++ {
		message := list.Get(i).Message()
		fields := message.Descriptor().Fields()
		pet := Pet{
			ID:   message.Get(fields.ByName("id")).String(),
			Name: message.Get(fields.ByName("name")).String(),
			Type: petTypes[int(message.Get(fields.ByName("type")).Enum())%len(petTypes)],
		}
		date := message.Get(fields.ByName("birthday")).Message()
		parts := date.Descriptor().Fields()
		pet.Birthday.Year = int32(date.Get(parts.ByName("year")).Int())
		pet.Birthday.Month = int32(date.Get(parts.ByName("month")).Int())
		pet.Birthday.Day = int32(date.Get(parts.ByName("day")).Int())
		pets = append(pets, pet)
	}
	return pets
}

func (r *Remote) stream(method protoreflect.MethodDescriptor, stream grpc.ServerStream) error {
	request := dynamicpb.NewMessage(method.Input())
	if err := stream.RecvMsg(request); err != nil {
		return err
	}
	fault, err := r.begin(stream.Context(), method)
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	names := request.Get(request.Descriptor().Fields().ByName("names")).List()
	for i := 0; i < names.Len(); i++ {
		wanted[names.Get(i).String()] = true
	}
	for _, pet := range r.store.All() {
		if len(wanted) > 0 && !wanted[pet.Name] {
			continue
		}
		message := dynamicpb.NewMessage(method.Output())
		text := fmt.Sprintf(`{"id": %q, "name": %q, "type": %q, "birthday": {"year": %d, "month": %d, "day": %d}}`,
			pet.ID, pet.Name, pet.Type, pet.Birthday.Year, pet.Birthday.Month, pet.Birthday.Day)
		if err := protojson.Unmarshal([]byte(text), message); err != nil {
			return err
		}
		if err := stream.SendMsg(message); err != nil {
			return err
		}
	}
	if fault != nil {
		return status.Error(codes.Code(fault.Status), fault.Body)
	}
	return nil
}
